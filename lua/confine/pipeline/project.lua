-- What a policy of the work tree may say: a command may have written it.

local problem = require 'confine.values.problem'

local M = {}

--- Only refusals.
local function granting(statement, word)
  local loosest = word.side == 'scalar' and statement.things[1] == word.values[#word.values]
  if word.side ~= 'grant' and not loosest then return nil end
  local said = loosest and ("%s '%s'"):format(word.name, statement.things[1]) or word.name
  return problem.new { kind = 'untrusted_grant', word = word.name, from = statement.from,
    message = ('%s is refused here: this file lies in the writable root, and may only refuse')
      :format(said),
    hint = 'put it into /etc/confine-lua/site.lua, into ~/.config/confine-lua/user.lua, '
      .. 'or name a file outside the writable root with -p' }
end

--- Variables that hold names of folders and accounts, and nothing that is secret.
local FOLDERS = { HOME = true, UID = true, USER = true, XDG_RUNTIME_DIR = true,
  XDG_CONFIG_HOME = true, XDG_DATA_HOME = true, XDG_STATE_HOME = true, XDG_CACHE_HOME = true }

--- The first other variable that a text names, or nil.
local function variable_in(thing)
  for name in thing:gmatch '%$([%a_][%w_]*)' do
    if not FOLDERS[name] then return name end
  end
end

--- A text in which a `..` comes behind a star, or nil.
local function climb_in(thing)
  local star = thing:find '[*?%[]'
  return star and thing:find('/%.%.%f[/\0]', star) and thing
end

--- What a search finds first in the texts by which a statement names things, or nil.
local function first_in(value, find)
  if type(value) == 'string' then return find(value) end
  for key, part in pairs(type(value) == 'table' and value or {}) do
    local found = key ~= 'why' and key ~= 'grants' and first_in(part, find)
    if found then return found end
  end
end

--- What is refused has its name inside: a line of the command's own would show it what a variable
-- holds.
local function variable(statement)
  local name = first_in(statement.args, variable_in)
  if not name then return nil end
  return problem.new { kind = 'untrusted_variable', word = statement.word, from = statement.from,
    message = ('$%s is refused here: this file lies in the writable root, and the value would show')
      :format(name),
    hint = 'name the file itself; $HOME, $XDG_RUNTIME_DIR and the other folders of XDG may stand '
      .. 'here' }
end

--- From each folder that the stars match the way up is another one, to be looked at by itself.
local function climb(statement)
  local thing = first_in(statement.args, climb_in)
  if not thing then return nil end
  return problem.new { kind = 'too_much', word = statement.word, from = statement.from,
    message = ('%s: a policy of the work tree names no `..` behind a star'):format(thing),
    hint = 'name the folder that it leads to' }
end

--- The problem of a statement there, or nil.
-- @param statement from words.check
-- @param word its record
function M.problem(statement, word)
  return granting(statement, word) or variable(statement) or climb(statement)
end

return M
