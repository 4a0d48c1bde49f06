-- confine-lua diff: what changes between two policies.

local diff = require 'confine.views.diff'
local json = require 'confine.values.json'
local merge = require 'confine.pipeline.merge'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'

local M = { name = 'diff',
  summary = 'Show what changes between two policies; exit 1 when something does.', words = 'A B' }

function M.options(parser)
  parser:flag '--json':description 'Print JSON.'
  parser:epilog 'A and B are profiles or policy files, as for -p.'
end

function M.main(options)
  if #options.words ~= 2 then
    say.error('two policies are compared\n    confine-lua diff A B')
    return 2
  end
  local policies = {}
  for i, name in ipairs(options.words) do
    local read, problems = session.policy { policy = { name } }
    if not read then return say.problems(problems) end
    policies[i] = read.policy
  end
  local changes = diff.policies(policies[1], policies[2], merge.SCALARS)
  io.stdout:write(options.json and json.encode(changes) or diff.text(changes), '\n')
  return #changes == 0 and 0 or 1
end

return M
