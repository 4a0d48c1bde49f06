-- Raw statements of one policy file become a layer: every word checked, every problem listed.

local problem = require 'confine.values.problem'
local project = require 'confine.pipeline.project'
local words = require 'confine.words'

local M = {}

--- What a command may write into its tree must not make the next run slow or impossible to start.
M.PROJECT_MOST = 1000

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
      wrong = layer.trust == 'project'
        and project.problem(statement, words.find(statement.word)) or nil
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
