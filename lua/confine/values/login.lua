-- Text that holds a login: a password in a URL, a token by its shape, a value that its name calls a
-- secret. What is found is a guess of one who reads, so a name or a shape must speak for it.

local secret_name = require 'confine.values.secret_name'

local M = {}

--- Values that are switches, ways to ask, and what examples have in the place of a secret.
local PLAIN = {}
for word in ([[true false yes no on off none null nil prompt ask always never required optional
  keyring basic bearer undefined changeme test unset env files compat systemd password passwd pass
  secret token username user example mypassword yourpassword]]):gmatch '%a+' do
  PLAIN[word] = true
end

--- Is a value the secret itself, and not where to find one, nor a switch?
-- @param quote the quote that it stands in, or nil
local function is_literal(value, quote)
  if #value < 4 or PLAIN[value:lower()] or value:find '^your[_-]' or value:find '^[xX*.]+$'
    or (#value < 8 and value:find '^%d+$') then
    return false
  end
  -- A variable, a command, a place that a template fills.
  if value:find '^[`<{]' or value:find '^%%[({s]' or value:find '^op://'
    or (value:find '^%$' and quote ~= "'") then
    return false
  end
  -- A path; a key of AWS, which may begin so too, has 40 characters.
  if value:find '^[~.]?/' then return #value == 40 end
  if quote then return true end
  -- A call or a field of a program's own: os.getenv(...), process.env.X, vim.env.X
  return not value:find '^[(%[|&;*!@#~.%%]' and not value:find '^[%a_][%w_.:$]*[(%[]'
    and not value:find '^%a+%.env%.'
end

--- What stands for a value, in quotes or up to a blank: its beginning is enough.
-- @return the value, and the quote that it stands in, or nil
local function value_at(line, at)
  local text = line:sub(at, at + 255)
  local quote = text:match '^["\']'
  if quote then return text:match('^[^' .. quote .. ']*', 2), quote end
  return text:match '^[^%s,;]*'
end

--- Where the name begins that a line gives a value without a sign between them: `set -x NAME value`
-- and `setenv`, tmux's set-environment, `(setq name "value")`.
local function set_at(line)
  local at = line:match '^%s*%(?set[%w-]*%s+()'
  while at and line:find('^%-', at) do at = line:match('^%S+%s+()', at) end
  return at and line:match('^"?()', at)
end

--- Where the value begins that a line gives a name which ends before `at`; nil where it gives none.
local function value_after(line, at, is_set)
  return line:match('^%s*[:+]?=%s*()', at) or line:match('^:%s*()', at)
    or line:match('^%s*<%-%s*()', at) or line:match('^%s+DEFAULT=()', at)
    or line:match('^%s+OVERRIDE=()', at)
    or (is_set and line:match('^%s+()', at))
end

--- Does the name that begins there stand for its value, which is another's?
local function is_used(line, at)
  if line:sub(at - 2, at - 1) == '${' then return true end
  -- `$env.X = ...` of nushell and `let $X = ...` of vim give it one.
  return line:sub(at - 1, at - 1) == '$' and not line:find('^env%.', at)
    and not line:find '^%s*let%s'
end

--- The name that calls a literal value in a line a secret; nil where there is none.
local function named(line)
  local set_name, is_yarn = set_at(line), line:find '^%s*"?//' ~= nil
  for before, name, at in line:gmatch '()([%a_][%w_.-]*)["\']?()' do
    -- yarn: "//host/:_authToken" "value"
    local rest = value_after(line, at, is_yarn or before == set_name)
    if rest and not is_used(line, before) then
      local value, quote = value_at(line, rest)
      local is_secret, is_weak = secret_name.is_one(name)
      if is_secret then
        -- `Authorization: Bearer x`: the word between says how.
        local after = PLAIN[value:lower()] and line:match('^%s+()%S', rest + #value)
        if after and name:lower():find 'authorization' then value = value_at(line, after) end
        local is_borne_out = not is_weak or (#value >= 16 and value:find '%d' and value:find '%a')
        if is_borne_out and is_literal(value, quote) then return name end
      elseif name:lower():find 'user$' and before == line:match '^%s*()' then
        -- curl's `user = name:password`
        local password = value:match '^[^:]+:(.+)$'
        if password and is_literal(password, quote) then return name end
      end
    end
  end
end

--- Is a password in a URL of the line?
local function in_url(line)
  for userinfo in line:gmatch '%a://([^/%s"\']+)@' do
    local password = userinfo:match '^[^:]*:(.*)$'
    -- A name of so many characters is a token.
    if is_literal(password or (#userinfo >= 20 and userinfo or ''), '"') then
      return 'a password in a URL'
    end
  end
  -- conda's tokens are a part of the path
  local is_conda = line:find '%a://[^%s/]+/t/tk%-%w' or line:find '%a://[^%s/]+/t/%x%x%x%x%x%x%x%x'
  return is_conda and 'a password in a URL'
end

--- What a line sets or says to a person; what is commented out is no setting, and of a shell's own
-- name (`alias pass=...`) only the value counts.
local function set(line)
  if line:find '^%s*[#;]' or line:find '^%s*%-%-%s' or line:find '^%s*//%s'
    or line:find '^%s*echo%s' or line:find '^%s*printf%s' or line:find '^%s*read%s' then
    return nil
  end
  return named((line:gsub('^%s*alias%s+[%w_.-]+=', '')))
end

--- Options of programs that take a password, or a name and one: what stands before it, and a word
-- of the line without which it means something else.
local OPTIONS = { { '%-%-password[= ]%s*' }, { 'oauth2%-bearer[= ]%s*' }, { 'sshpass%s+%-p%s*' },
  { '^%-u%s+[^%s:,=]+:' }, { '^user%s+[^%s:]+:' }, { '^%-%-user[= ]%s*[^%s:]+:' },
  { '%s%-u%s+[^%s:,=]+:', 'curl' }, { '%-%-user[= ]%s*[^%s:]+:', 'curl' },
  { '%s%-u%s+[^%s:,=]+,', 'open' } }

local function option(line)
  if line:find '^%s*[#;]' then return nil end
  for _, item in ipairs(OPTIONS) do
    local word = item[2]
    local at = (not word or line:find(word, 1, true)) and line:match(item[1] .. '()')
    local value, quote
    if at then value, quote = value_at(line, at) end
    if value and is_literal(value, quote) then return 'a password of a command' end
  end
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
  { 'sk_live_', 'sk_live_%w+', 24 }, { 'rk_live_', 'rk_live_%w+', 24 },
  { 'gldt-', 'gldt%-[%w_-]+', 20 }, { 'glrt-', 'glrt%-[%w_-]+', 20 },
  { 'dop_v1_', 'dop_v1_%x+', 40 }, { 'ya29.', 'ya29%.[%w_-]+', 30 },
  { 'age-secret-key-', 'AGE%-SECRET%-KEY%-1%w+', 40 },
  { 'hooks.slack.com', 'hooks%.slack%.com/services/T%w+/B%w+/%w+', 40 },
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
  'credential', 'user', 'pwd', 'basic' } do
  HINTS[#HINTS + 1] = { word, set }
end
for _, word in ipairs { '--password', 'oauth2-bearer', 'sshpass', '-u ', 'user ', '--user' } do
  HINTS[#HINTS + 1] = { word, option }
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
