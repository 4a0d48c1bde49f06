-- confine-lua check: loads policies and judges them; all problems and warnings, each with its line.

local check = require 'confine.views.check'
local core = require 'confine.core'
local json = require 'confine.values.json'
local problem = require 'confine.values.problem'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'
local sources = require 'confine.doors.sources'

local M = { name = 'check', summary = 'Load policy files and judge them; exit 1 for problems.',
  words = '[FILE...]' }

function M.options(parser, option)
  option('--root', 'dir', 'Judge them for this writable root.')
  parser:flag '--json':description 'Print JSON.'
  parser:epilog 'Without a FILE, the policies that always apply are checked.'
end

--- Judges what was read: with which no run starts, and what is doubtful.
-- @param read session from session.policy
-- @param is_named boolean: the writable root is one that was asked for
-- @return list of problems, list of warnings
function M.judge(read, is_named)
  -- This adds to the facts what the host is, which some warnings depend on.
  local refused = session.refusals(read)
  if not read.resolved then session.climb(read) end
  local warnings = check.warnings(read.policy, read.facts, core.paths.look)
  table.move(read.warnings, 1, #read.warnings, #warnings + 1, warnings)
  local problems, more = check.refusals(refused, is_named)
  table.move(more, 1, #more, #warnings + 1, warnings)
  local unread = sources.unread(read.facts)
  table.move(unread, 1, #unread, #warnings + 1, warnings)
  return problems, warnings
end

function M.main(options)
  local wanted = {}
  for i, name in ipairs(options.words) do
    wanted[i] = (name:find('/', 1, true) or name:sub(-4) ~= '.lua') and name or './' .. name
  end
  local read, problems = session.policy { policy = wanted, root = options.root }
  local warnings = {}
  if read then problems, warnings = M.judge(read, options.root ~= nil) end
  if options.json then
    io.stdout:write(json.encode { problems = say.first(problems, say.MOST_JSON),
      warnings = say.first(warnings, say.MOST_JSON) }, '\n')
  else
    say.problems(problems)
    for _, item in ipairs(say.first(warnings, say.MOST)) do
      io.stdout:write('warning: ', problem.text(item), '\n')
    end
    if #problems == 0 then
      io.stdout:write(#warnings == 0 and 'ok\n' or ('ok, %d warning%s\n'):format(#warnings,
        #warnings == 1 and '' or 's'))
    end
  end
  return #problems == 0 and 0 or 1
end

return M
