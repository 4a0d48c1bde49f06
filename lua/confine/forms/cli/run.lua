-- confine-lua run: the main job.

local command_lookup = require 'confine.forms.cli.command_lookup'
local core = require 'confine.core'
local json = require 'confine.values.json'
local notes = require 'confine.forms.cli.notes'
local problem = require 'confine.values.problem'
local run = require 'confine.doors.run'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'
local shapes = require 'confine.words.shapes'
local text = require 'confine.values.text'

local M = { name = 'run', summary = 'Run a command confined.', words = '[--] CMD...' }

function M.options(parser, option)
  session.policy_options(parser, option)
  session.layer_options(parser, option)
  option('--timeout', 'time', "End the command after this time (60, '10m'): SIGTERM, then SIGKILL.")
  option('--audit', 'file', 'Write what was refused and why, as JSON, to a file.')
  option('--bounds', 'file', 'Write what the run was confined by, as JSON, to a file.')
  parser:flag '--dry-run':description 'Print the bubblewrap arguments and start nothing.'
  parser:flag '--quiet -q':description 'Say nothing but errors.'
  parser:epilog("Exit status: the command's own; 128+n when a signal n ended it; 124 at the time "
    .. 'limit; 125 when nothing was started, or a report or output is lost; 126 or 127 when the '
    .. 'command cannot be run or found; 2 for a wrong command line.')
end

--- errno(3) of what no report can be: no regular file, or one behind a link.
local IS_ODD = { [22] = true, [40] = true }

--- Opens a report file before the launch: what cannot be written must stop the run, not follow it.
local function open_report(name)
  if name == '-' then return nil, 'takes the name of a file, not -' end
  local file, complaint, number = core.report.create(name)
  if file or not IS_ODD[number] then return file, complaint end
  return nil, complaint .. '\n    name a regular file, by a path without links: a command could '
    .. 'have put a link there'
end

--- What an audit says: every refused thing that is there, with its line.
local function audit(prepared, outcome)
  local refused = {}
  for _, op in ipairs(prepared.plan.ops) do
    if op.op == 'hide' or op.op == 'protect' then
      refused[#refused + 1] = { path = op.path, how = op.op, from = op.from, why = op.why }
    end
    for _, entry in ipairs(op.entries or {}) do
      if entry.as == 'inert' or entry.as == 'absent' then
        refused[#refused + 1] = { path = op.path .. '/' .. entry.name, how = entry.as,
          from = entry.from, why = entry.why }
      end
    end
  end
  return { version = 1, command = prepared.plan.command, refused = refused, outcome = outcome }
end

local SIGSYS = 31

--- Writes one; the command may have had the place of it in its reach.
-- @return true unless it is lost
local function write_report(file, value)
  if not file then return true end
  local ok, complaint = file:write(json.encode(value) .. '\n')
  if ok then ok, complaint = file:close() end
  if not ok then say.error('the report could not be written: ' .. tostring(complaint)) end
  return ok
end

--- The exit status for an outcome, as DESIGN §7 gives it.
local function status_of(outcome)
  if outcome.kind == 'exited' then return outcome.code end
  if outcome.kind == 'signaled' then return 128 + outcome.signal end
  if outcome.kind == 'timed_out' then
    say.error(('ended after %g s (the time limit)'):format(outcome.timeout or outcome.seconds))
    return 124
  end
  if outcome.kind == 'lost' then
    say.error('the run was ended: ' .. text.visible(outcome.message))
    return 125
  end
  if outcome.kind == 'limited' then
    say.error(('ended by the limit on %s'):format(outcome.limit))
    return 125
  end
  return say.problems { problem.new { kind = 'not_started', hint = outcome.hint,
    message = 'the command was not started: ' .. tostring(outcome.message) } }
end

--- Seconds, of a number or one with a unit as the word `limit` takes it; or nil.
local function seconds(value)
  local number = shapes.quantity(value, 'time')
  return number and number < 1e9 and number or nil
end

--- What a run would call, for a shell: each option of bwrap begins a line.
local function command_line(bwrap, args, command)
  local out = { text.shell(bwrap) }
  for _, arg in ipairs(args) do
    out[#out + 1] = (arg:sub(1, 2) == '--' and '\\\n  ' or '') .. text.shell(arg)
  end
  out[#out + 1] = '\\\n  --'
  for _, arg in ipairs(command) do out[#out + 1] = text.shell(arg) end
  return table.concat(out, ' ')
end

function M.main(options)
  local command = options.words
  local timeout
  if options.timeout then
    timeout = seconds(options.timeout)
    if not timeout then
      say.error(("--timeout takes seconds, or a time like '10m', not %s")
        :format(text.cut(options.timeout, 40)))
      return 2
    end
  end
  if #command == 0 then
    say.error('no command is named\n    confine-lua run [options] [--] CMD...')
    return 2
  end
  if command[1] == '' then
    say.error('the command is empty')
    return 2
  end
  local prepared, problems = session.plan(options, command)
  if not prepared then return say.problems(problems) end
  local found, status, message = command_lookup.find(command[1], prepared)
  if not found then
    say.line(message)
    return status
  end
  if options.dry_run then
    local argv, wrong = require('confine.pipeline.argv').render(prepared.plan, prepared.facts)
    if not argv then return say.problems { wrong } end
    io.stdout:write(command_line(prepared.facts.bwrap.path, argv.args, command), '\n')
    return 0
  end
  local reports = {}
  for _, name in ipairs { 'audit', 'bounds' } do
    if options[name] then
      local file, complaint = open_report(options[name])
      if not file then
        say.error(('--%s: %s'):format(name, complaint))
        return 125
      end
      reports[name] = file
    end
  end
  if not options.quiet then
    for _, line in ipairs(notes.lines(prepared)) do say.line(line) end
  end
  local plan, facts = prepared.plan, run.facts(prepared.facts)
  -- What the plan was made from is 3 MiB that would stay for as long as the command runs.
  prepared.resolved, prepared.policy, prepared.input, prepared.facts = nil, nil, nil, nil
  local outcome, wrong = run.execute(plan, facts, { timeout = timeout })
  if not outcome then return say.problems(wrong) end
  -- Nobody may be left to read what is said here; the reports come first.
  local is_told = write_report(reports.bounds, outcome.bounds)
  is_told = write_report(reports.audit, audit(prepared, outcome)) and is_told
  core.launch.ignore_pipe()
  for _, line in ipairs(options.quiet and {} or notes.after(outcome.bounds)) do say.line(line) end
  if outcome.maybe_signal == SIGSYS and not options.quiet then
    say.error('it ended by SIGSYS, or with its status: 32-bit programs, and calls of another '
      .. 'architecture, end so here')
  end
  if outcome.truncated then say.error('the output was cut off at its limit') end
  if outcome.lost then say.error('output could not be written: ' .. outcome.lost) end
  local code = status_of(outcome)
  -- What was lost is told by the status too, unless the command failed anyway.
  return is_told and not (outcome.lost and code == 0) and code or 125
end

return M
