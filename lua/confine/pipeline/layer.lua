-- Raw statements of one policy file become a layer: every word checked, every problem listed.

local problem = require 'confine.values.problem'
local words = require 'confine.words'

local M = {}

--- What a command may write into its tree must not make the next run slow or impossible to start.
M.PROJECT_MOST = 1000

--- May this layer use the word? The project layer lies where the command writes: refusals only.
local function trust_problem(layer, statement, word)
  if layer.trust ~= 'project' then return nil end
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
local function variable_problem(layer, statement)
  local name = layer.trust == 'project' and first_in(statement.args, variable_in)
  if not name then return nil end
  return problem.new { kind = 'untrusted_variable', word = statement.word, from = statement.from,
    message = ('$%s is refused here: this file lies in the writable root, and the value would show')
      :format(name),
    hint = 'name the file itself; $HOME, $XDG_RUNTIME_DIR and the other folders of XDG may stand '
      .. 'here' }
end

--- From each folder that the stars match the way up is another one, to be looked at by itself.
local function climb_problem(layer, statement)
  local thing = layer.trust == 'project' and first_in(statement.args, climb_in)
  if not thing then return nil end
  return problem.new { kind = 'too_much', word = statement.word, from = statement.from,
    message = ('%s: a policy of the work tree names no `..` behind a star'):format(thing),
    hint = 'name the folder that it leads to' }
end

--- Loads a layer.
-- @param source { name = string, trust = 'builtin'|'site'|'user'|'given'|'project',
--   kind = 'profile'|'layer' }
-- @param raw list of { word, args, line | from, known } as the policy evaluator recorded them
-- @return layer { name, trust, kind, statements = { { word, args, things, options, from } } } and a
--   list of problems (empty when the layer is sound)
function M.load(source, raw)
  local layer = { name = source.name, trust = source.trust, kind = source.kind or 'layer',
    statements = {} }
  local problems = {}
  local things = 0
  for _, said in ipairs(raw) do
    local from = said.from or source.name .. ':' .. said.line
    local statement, wrong = words.check { word = said.word, args = said.args or {}, from = from,
      known = said.known }
    if statement then
      wrong = trust_problem(layer, statement, words.find(statement.word))
        or variable_problem(layer, statement) or climb_problem(layer, statement)
    end
    things = things + (statement and #statement.things or 0)
    if not wrong and layer.trust == 'project' and things > M.PROJECT_MOST then
      return layer, { problem.new { kind = 'too_much', word = said.word, from = from,
        message = ('a policy of the work tree may name %d things at most'):format(M.PROJECT_MOST),
        hint = 'name the folders that hold them' } }
    end
    if wrong then
      problems[#problems + 1] = wrong
    else
      layer.statements[#layer.statements + 1] = statement
    end
  end
  return layer, problems
end

return M
