-- confine-lua doctor: what this host offers each guard, and the exact remedy for what is missing.

local core = require 'confine.core'
local doctor = require 'confine.doctor'
local door = require 'confine.doors.doctor'
local facts_door = require 'confine.doors.facts'
local json = require 'confine.values.json'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'
local views = require 'confine.views.doctor'

local M = { name = 'doctor',
  summary = 'Try what each guard needs of this host, and name the remedy for what is missing.' }

--- The exit status for each verdict. 2 is a wrong command line, 125 a launch that was refused.
M.STATUS = { full = 0, weaker = 1, refused = 3 }

--- Lines are as wide as this where COLUMNS does not say how wide the terminal is.
local WIDTH = 96

function M.options(parser)
  parser:flag '--json':description 'Print JSON.'
  parser:epilog('Exit status: 0 when `run` with the default profile starts with all its guards, 1 '
    .. 'when it starts with weaker ones, 3 when it does not start; 2 for a wrong command line.')
end

--- On a terminal symbols and colour, if its locale has the one and NO_COLOR does not forbid the
-- other; else words.
local function style(env)
  local is_terminal = core.host.isatty(1)
  local locale = env.LC_ALL or env.LC_CTYPE or env.LANG or ''
  local width = tonumber(env.COLUMNS)
  return { width = width and width >= 60 and width or WIDTH,
    symbols = is_terminal and locale:lower():find('utf%-?8') ~= nil,
    colour = is_terminal and (env.NO_COLOR or '') == '' and env.TERM ~= 'dumb' }
end

--- Runs `true` as `run` would, in an empty folder: one of our own, which is protected elsewise.
local function try_launch(facts, seen)
  local folder = door.make_folder(facts)
  local prepared, problems = session.plan({ at = folder, write = { folder }, no_project = true },
    { 'true' })
  if prepared then seen.needs = door.needs(prepared) end
  seen.trial = door.trial(prepared, problems)
  door.remove_folder(folder)
end

function M.main(options)
  local facts, problems = facts_door.caller { at = '/' }
  if not facts then return say.problems(problems) end
  local seen = door.examine(facts)
  try_launch(facts, seen)
  local report = doctor.report(seen)
  if options.json then
    report.exit = M.STATUS[report.verdict]
    io.stdout:write(json.encode(report), '\n')
  else
    io.stdout:write(views.text(report, style(facts.env)), '\n')
  end
  return M.STATUS[report.verdict]
end

return M
