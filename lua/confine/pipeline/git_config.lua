-- What a repository's own config has git execute: programs, hooks and further configs in the tree.
-- They are protected like the config, for git outside runs them without being asked.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- Keys (without subsection) whose value names a path, by what it is relative to.
local PATHS = {
  ['core.hookspath'] = 'top', ['include.path'] = 'config', ['includeif.path'] = 'config',
}

--- Keys whose value is a command line.
local COMMANDS = {}
for _, key in ipairs { 'core.fsmonitor', 'core.sshcommand', 'core.editor', 'core.pager',
  'core.askpass', 'sequence.editor', 'filter.clean', 'filter.smudge', 'filter.process',
  'diff.command', 'diff.textconv', 'diff.external', 'merge.driver', 'gpg.program',
  'credential.helper' } do
  COMMANDS[key] = true
end

--- The entries of a config file (git-config(1)), as far as they matter here: { key, value }, the
-- key in lower case and without its subsection. What cannot be read is passed over.
local function entries(text)
  local out, section = {}, ''
  for line in (text:gsub('\\\r?\n', '') .. '\n'):gmatch '([^\n]*)\n' do
    local name = line:match '^%s*%[%s*([%w.-]+)'
    if name then
      section = name:lower():match '^[^.]+'
      line = line:match '%](.*)$' or ''
    end
    local key, value = line:match '^%s*([%a][%w-]*)%s*=%s*(.-)%s*$'
    if key then
      value = value:gsub('\\(.)', '%1'):gsub('"', '')
      out[#out + 1] = { key = section .. '.' .. key:lower(), value = value }
    end
  end
  return out
end

--- The paths that a config names, as it names them.
-- @return list of absolute paths, in which `..` stays
local function texts(text, facts)
  local out = {}
  local function add(name, base)
    if name == '' or name:find '%c' then return end
    if name:sub(1, 2) == '~/' then name = (facts.home or '/') .. name:sub(2) end
    out[#out + 1] = path.tidy(name:sub(1, 1) == '/' and name or path.join(base, name))
  end
  for _, item in ipairs(entries(text)) do
    local kind = PATHS[item.key]
    if kind then
      add(item.value, kind == 'config' and facts.root .. '/.git' or facts.root)
    elseif COMMANDS[item.key] or (item.key:find '^alias%.' and item.value:sub(1, 1) == '!') then
      -- Words of a command line that are paths: the program, or the script it is given.
      for word in item.value:gsub('^!', ''):gmatch '[^%s;|&\'"()<>]+' do
        if word:find('/', 1, true) then add(word, facts.root) end
      end
    end
  end
  return out
end

--- The names behind a `..`, which only the host can tell, as things of a policy.
-- @param facts { git_config = text or nil, root, home }
function M.climbs(facts)
  local out = {}
  for _, where in ipairs(facts.git_config and texts(facts.git_config, facts) or {}) do
    if path.climb(where) then out[#out + 1] = glob.literal(where) end
  end
  return out
end

--- The paths in the writable root that a config names.
-- @param text of .git/config
-- @param facts { root, home, looks = of the folders that M.climbs led to, optional }
-- @return list of absolute normal paths below the root, each once
function M.names(text, facts)
  local out, seen = {}, {}
  for _, where in ipairs(texts(text, facts)) do
    local up, rest = path.climb(where)
    local look = up and ((facts.looks or {})[glob.literal(up)] or {})[1]
    where = path.normal(look and look.path .. rest or where)
    if path.below(where, facts.root) and not seen[where] then
      seen[where] = true
      out[#out + 1] = where
    end
  end
  return out
end

--- The refusals of what the config of the root's repository names.
-- @param facts { git_config = text or nil, root, home }
function M.refusals(facts)
  local out = {}
  for _, where in ipairs(facts.git_config and M.names(facts.git_config, facts) or {}) do
    out[#out + 1] = { noun = 'file', verb = 'protect', thing = glob.literal(where),
      from = '.git/config', why = 'git outside executes it', final = false, except = {} }
  end
  return out
end

return M
