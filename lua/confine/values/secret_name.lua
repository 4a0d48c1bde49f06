-- Names of variables and settings that call their value a secret.

local M = {}

local function set(words)
  local out = {}
  for word in words:gmatch '%S+' do out[word] = true end
  return out
end

--- Parts of names that call a value a secret, and those that do before `key`.
local WORDS = set [[token tokens secret secrets password passwd passphrase pass pat credential
  credentials authorization bearer secretkey accesskey apikey privatekey authkey]]
local BEFORE_KEY = set [[api access secret private auth encryption account service master]]

--- What ends like one and is none.
local OTHER = set [[askpass bypass compass encompass ksshaskpass surpass trespass]]

--- Last parts of names that say something about a secret, or where it is.
local ABOUT = set [[file files path dir directory folder home cmd command helper program store url
  uri endpoint host prompt timeout ttl type name names length limit parallelism color colors expiry
  lifetime min max count size cache policy method mode enabled agent sock socket ask manager plugin
  provider process prefix suffix format version selection clip characters generated options]]

--- Keys that name a key, or press one.
local PUBLIC = set [[gpg pgp gnupg ssh bind tmux leader hot signing foreign primary sort]]

--- The parts of a name in lower case: `npm_authToken` is npm, auth, token.
local function parts_of(name)
  local out = {}
  for part in name:gsub('(%l)(%u)', '%1_%2'):lower():gmatch '[%l%d]+' do out[#out + 1] = part end
  return out
end

--- Does a part call a value a secret by itself? Some are written together: PGPASSWORD, smtppass.
local function is_word(part)
  return WORDS[part] or part:find 'passw' or part:find 'token$' or part:find 'secret$'
    or (part:find 'pass$' and not OTHER[part])
end

--- Does a name say that its value is a secret?
-- @param name of a variable or a setting
-- @return boolean; and true where it may only be the name of a key (OPENAI_KEY, SORT_KEY), which
--   its value has to bear out
function M.is_one(name)
  local parts = parts_of(name)
  if ABOUT[parts[#parts]] or name:find '^PASSWORD_STORE_' then return false end
  for i, part in ipairs(parts) do
    local before = parts[i - 1]
    -- PWD alone is the current folder.
    if is_word(part) or (part == 'key' and BEFORE_KEY[before])
      or (part == 'auth' and before == 'basic') or (part == 'pwd' and i > 1) then
      return true
    end
  end
  local last = #parts
  if last > 1 and parts[last] == 'key' and not PUBLIC[parts[last - 1]] and not PUBLIC[parts[1]] then
    return true, true
  end
  return false
end

return M
