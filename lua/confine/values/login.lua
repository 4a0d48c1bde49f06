-- Text that holds a login: a password in a URL, a token by its shape, a value that its name calls a
-- secret. What is found is a guess of one who reads, so a name or a shape must speak for it.

local M = {}

--- Parts of names that call a value a secret, and pairs of parts that do.
local WORDS = { token = true, tokens = true, secret = true, secrets = true, password = true,
  passwd = true, passphrase = true, pass = true, pat = true, apikey = true, authtoken = true,
  credential = true, credentials = true, authorization = true, bearer = true, pw = true }
local BEFORE_KEY = { api = true, access = true, secret = true, private = true, auth = true,
  encryption = true, account = true, service = true, master = true }

--- Last parts of names that say something about a secret, or where it is.
local ABOUT = {}
for word in ([[file files path dir directory folder home cmd command helper program store url uri
  endpoint host prompt timeout ttl type name names length limit parallelism color colors expiry
  lifetime min max count size cache policy method mode enabled agent sock socket ask manager
  plugin provider process prefix suffix format version]]):gmatch '%a+' do
  ABOUT[word] = true
end

--- The parts of a name in lower case: `npm_authToken` is npm, auth, token.
local function parts_of(name)
  local out = {}
  for part in name:gsub('(%l)(%u)', '%1_%2'):lower():gmatch '[%l%d]+' do out[#out + 1] = part end
  return out
end

--- Does a name say that its value is a secret?
-- @param name of a variable or a setting
function M.is_name(name)
  local parts = parts_of(name)
  if ABOUT[parts[#parts]] then return false end
  for i, part in ipairs(parts) do
    local is_key = part == 'key' and (BEFORE_KEY[parts[i - 1]] or name:find '^[%u%d_]+_KEY$')
    local is_basic = part == 'auth' and parts[i - 1] == 'basic'
    -- Some are written together: PGPASSWORD; and PWD alone is the current folder.
    if WORDS[part] or is_key or is_basic or (part == 'pwd' and i > 1) or part:find 'passw'
      or part:find 'token$' or part:find 'secret$' then
      return true
    end
  end
  return false
end

local PLAIN = { ['true'] = true, ['false'] = true, yes = true, no = true, on = true, off = true,
  none = true, null = true, ['nil'] = true, prompt = true, ask = true, always = true,
  never = true, required = true, optional = true, keyring = true, basic = true, bearer = true,
  undefined = true, changeme = true, test = true, unset = true, env = true }

--- Is a value the secret itself, and not where to find one, nor a switch?
local function is_literal(value)
  return #value >= 4 and not value:find '^[$`({%[<%%/~!@#&|;*.]' and not PLAIN[value:lower()]
    and (#value >= 8 or not value:find '^%d+$')
end

--- What stands for a value: in quotes, or up to a blank; its beginning is enough.
local function value_at(line, at)
  local text = line:sub(at, at + 255)
  local quote = text:match '^["\']'
  if quote then return text:match('^[^' .. quote .. ']*', 2) end
  return text:match '^[^%s,;]*'
end

--- The name that calls a literal value in a line a secret; nil where there is none.
local function named(line)
  -- NAME=value, name: value, "name": "value"; `set -x NAME value`, `setenv NAME value`, yarn's.
  local is_set = line:find '^%s*set%s' or line:find '^%s*setenv%s' or line:find '^%s*"?//'
  for before, name, at in line:gmatch '()([%a_][%w_.-]*)["\']?()' do
    local rest = line:match('^%s*:?=%s*()', at) or line:match('^:%s*()', at)
      or (is_set and line:match('^%s+()', at))
    if rest and line:sub(before - 1, before - 1) ~= '$' and line:sub(before - 2, before - 1) ~= '${'
    then
      if M.is_name(name) then
        local value = value_at(line, rest)
        -- `Authorization: Bearer x`: the word between says how.
        if PLAIN[value:lower()] then
          local after = line:match('^%s+()%S', rest + #value)
          value = after and name:lower():find 'authorization' and value_at(line, after) or value
        end
        if is_literal(value) then return name end
      elseif name:lower():find 'user$' then
        -- curl's `user = name:password`
        local password = value_at(line, rest):match '^[^:]+:(.+)$'
        if password and is_literal(password) then return name end
      end
    end
  end
end

--- Is a password in a URL of the line?
local function in_url(line)
  for userinfo in line:gmatch '%a://([^/%s"\'@]+)@' do
    local password = userinfo:match '^[^:]*:(.*)$'
    -- A name of so many characters is a token.
    if is_literal(password or (#userinfo >= 20 and userinfo or '')) then
      return 'a password in a URL'
    end
  end
  -- conda's tokens are a part of the path
  return line:find '%a://[^%s/]+/t/[%w-]+' and 'a password in a URL'
end

--- A setting that a line makes; what is commented out is none.
local function set(line)
  if line:find '^%s*[#;]' or line:find '^%s*%-%-' or line:find '^%s*//%s' then return nil end
  return named(line)
end

--- Tokens that issuers give a shape of their own: what each begins with, in lower case, its shape,
-- and the length at which it is one.
local SHAPES = {
  { 'sk-', '%f[%w]sk%-[%w_-]+', 20 }, { 'ghp_', '%f[%w]ghp_%w+', 30 },
  { 'gho_', '%f[%w]gho_%w+', 30 }, { 'ghu_', '%f[%w]ghu_%w+', 30 },
  { 'ghs_', '%f[%w]ghs_%w+', 30 }, { 'ghr_', '%f[%w]ghr_%w+', 30 },
  { 'github_pat_', 'github_pat_[%w_]+', 30 }, { 'glpat-', 'glpat%-[%w_-]+', 20 },
  { 'xox', '%f[%w]xox[abeoprs]%-[%w-]+', 20 }, { 'akia', '%f[%w]AKIA%u[%u%d]+', 20 },
  { 'aiza', '%f[%w]AIza[%w_-]+', 35 }, { 'npm_', '%f[%w]npm_%w+', 30 },
  { 'pypi-', '%f[%w]pypi%-[%w_-]+', 40 }, { 'hf_', '%f[%w]hf_%w+', 30 },
  { 'eyj', '%f[%w_-]eyJ[%w_-]+%.eyJ[%w_-]+', 40 },
  { 'private key', '%-%-%-%-%-BEGIN [%u ]*PRIVATE KEY', 20 },
}

local function shaped(shape, size)
  return function(line)
    for found in line:gmatch(shape) do
      if #found >= size then return 'a token' end
    end
  end
end

--- What is in each line that could hold a login, in lower case, and who tells of such a line.
local HINTS = { { '://', in_url } }
for _, word in ipairs { 'token', 'secret', 'pass', 'key', '_pat', 'bearer', 'authorization',
  'credential', 'user', 'pw' } do
  HINTS[#HINTS + 1] = { word, set }
end
for _, shape in ipairs(SHAPES) do
  HINTS[#HINTS + 1] = { shape[1], shaped(shape[2], shape[3]) }
end

--- Where the line begins that a byte of a text is in.
local function line_start(text, at)
  while at > 1 and text:byte(at - 1) ~= 10 do at = at - 1 end
  return at
end

--- The first login in a text.
-- @param text of a settings file
-- @return { line = its number, from 1, what = a name in the text, or what it is }, or nil
function M.find(text)
  local lower, first, what = text:lower(), #text + 1, nil
  local judged = {}
  for _, hint in ipairs(HINTS) do
    local word, judge = hint[1], hint[2]
    local at = lower:find(word, 1, true)
    -- A login found in an earlier line comes first; what is behind it need not be read.
    while at and at < first do
      local start, stop = line_start(text, at), text:find('\n', at, true) or #text + 1
      local found = judged[start] ~= judge and judge(text:sub(start, stop - 1))
      judged[start] = judge
      if found then first, what = start, found end
      at = lower:find(word, stop, true)
    end
  end
  if not what then return nil end
  local _, before = text:sub(1, first - 1):gsub('\n', '')
  return { line = before + 1, what = what }
end

return M
