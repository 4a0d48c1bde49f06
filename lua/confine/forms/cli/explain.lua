-- confine-lua explain: verdict, reason and policy line for things, or for everything.

local core = require 'confine.core'
local explain = require 'confine.views.explain'
local json = require 'confine.values.json'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'

local M = { name = 'explain',
  summary = 'Tell what a policy refuses and grants, why, and by which line.', words = '[THING...]' }

function M.options(parser, option)
  session.policy_options(parser, option)
  session.layer_options(parser, option)
  parser:flag '--json':description 'Print JSON.'
  parser:epilog 'A THING is /path, file:/path, @abstract, unix:///path, env:NAME or authority:NAME.'
end

function M.main(options)
  local prepared, problems = session.resolve(options, true)
  if not prepared then return say.problems(problems) end
  local answers = {}
  if #options.words == 0 then answers = explain.everything(prepared.resolved) end
  for _, thing in ipairs(options.words) do
    local answer, complaint = explain.thing(prepared.resolved, thing, core.paths.look)
    if not answer then
      say.error(complaint)
      return 2
    end
    answers[#answers + 1] = answer
  end
  if options.json then
    io.stdout:write(json.encode(answers), '\n')
  else
    for _, answer in ipairs(answers) do io.stdout:write(explain.text(answer), '\n') end
  end
  return 0
end

return M
