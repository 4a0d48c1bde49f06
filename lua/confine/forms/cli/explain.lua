-- confine-lua explain: verdict, reason and policy line for things, or for everything.

local core = require 'confine.core'
local explain = require 'confine.views.explain'
local json = require 'confine.values.json'
local root = require 'confine.pipeline.root'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'

local M = { name = 'explain',
  summary = 'Tell what a policy refuses and grants, why, and by which line.', words = '[THING...]' }

function M.options(parser, option)
  session.policy_options(parser, option)
  session.layer_options(parser, option)
  parser:flag '--prove':description 'Attempt it outside and inside, and show both.'
  parser:flag '--json':description 'Print JSON.'
  parser:epilog 'A THING is /path, file:/path, @abstract, unix:///path, env:NAME or authority:NAME.'
end

--- Attempts what was answered about; each answer gets its `tries`.
-- @return true when all is as explained, false when not, or nil and problems
local function prove(answers, resolved, options)
  local agrees = true
  for _, answer in ipairs(answers) do
    local tries, problems = require('confine.forms.prove').thing(answer, resolved, options)
    if not tries then return nil, problems end
    answer.tries = tries
    for _, try in ipairs(tries) do
      agrees = agrees and (try.status == 'agrees' or try.status == 'unproved')
    end
  end
  return agrees
end

function M.main(options)
  if options.prove and #options.words == 0 then
    say.error('--prove needs a THING\n    confine-lua explain --prove THING...')
    return 2
  end
  if options.prove and not pcall(require, 'posix.unistd') then
    say.error('explain --prove needs luaposix, which is not beside the program'
      .. '\n    ./build.sh install puts it there')
    return 2
  end
  local prepared, problems = session.resolve(options, true)
  if not prepared then return say.problems(problems) end
  local wrong = root.problem(prepared.resolved)
  if wrong then
    say.line('no run starts here, and what follows is what a policy says elsewhere: '
      .. wrong.message)
  end
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
  local agrees = true
  if options.prove then
    agrees, problems = prove(answers, prepared.resolved, options)
    if agrees == nil then return say.problems(problems) end
  end
  if options.json then
    io.stdout:write(json.encode(answers), '\n')
  else
    for _, answer in ipairs(answers) do io.stdout:write(explain.text(answer), '\n') end
  end
  return agrees and 0 or 1
end

return M
