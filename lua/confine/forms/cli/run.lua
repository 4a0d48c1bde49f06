-- confine-lua run: the main job.

local command_lookup = require 'confine.forms.cli.command_lookup'
local core = require 'confine.core'
local endpoints = require 'confine.pipeline.endpoints'
local json = require 'confine.values.json'
local problem = require 'confine.values.problem'
local run = require 'confine.doors.run'
local say = require 'confine.forms.cli.say'
local session = require 'confine.forms.cli.session'
local shapes = require 'confine.words.shapes'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'
local view = require 'confine.pipeline.view'

local M = { name = 'run', summary = 'Run a command confined.', words = '[--] CMD...' }

function M.options(parser, option)
  session.policy_options(parser, option)
  session.layer_options(parser, option)
  option('--timeout', 'time', "End the command after this time (60, '10m'): SIGTERM, then SIGKILL.")
  option('--audit', 'file', 'Write what was refused and why, as JSON, to a file.')
  option('--bounds', 'file', 'Write what the run was confined by, as JSON, to a file.')
  parser:flag '--dry-run':description 'Print the bubblewrap arguments and start nothing.'
  parser:flag '--quiet -q':description 'Say nothing but errors.'
  parser:epilog('Exit status: the command\'s own; 128+n when a signal n ended it; 124 at the time '
    .. 'limit;\n125 when nothing was started, or a report or output is lost; 126 or 127 when the '
    .. 'command cannot be run\nor found; 2 for a wrong command line.')
end

--- Opens a report file before the launch: what cannot be written must stop the run, not follow it.
local function open_report(name)
  if name == '-' then return nil, 'takes the name of a file, not -' end
  return core.report.create(name)
end

--- One line: what was refused that lives on this host.
local function summary(prepared)
  local live, seen = {}, {}
  for _, name in ipairs(prepared.resolved.names) do
    local entry = name.entry
    if entry.noun == 'socket' and name.look.type == 'socket' and entry.authority
      and not seen[entry.authority] and not prepared.resolved.authorities[entry.authority] then
      seen[entry.authority] = true
      live[#live + 1] = entry.authority
    end
  end
  table.sort(live)
  local refused = #live > 0 and 'refused and live here: ' .. table.concat(live, ', ')
    or 'no refused authority is live here'
  return ('%s; writable: %s; net %s; `confine-lua explain` tells each with its policy line')
    :format(refused, text.visible(prepared.plan.root), prepared.plan.net)
end

--- One line: what the host's network leaves reachable; nil where nothing is known to be.
local function open_endpoints(prepared)
  local list = endpoints.reachable(prepared.policy, prepared.facts)
  if #list == 0 then return nil end
  local shown = {}
  for i, item in ipairs(list) do
    shown[i] = ('%s at tcp://%s (%s)'):format(item.authority, item.tcp, item.from)
  end
  return ("net 'host' (%s) leaves reachable: %s"):format(prepared.policy.net.from,
    table.concat(shown, ', '))
end

--- One line for each name that may be reachable, of the first ones, and for each variable.
local function open_notes(plan)
  local out, list = {}, plan.unfound
  for i = 1, math.min(#list, 3) do
    out[i] = ('%s: %s'):format(text.visible(list[i].path), list[i].message)
  end
  if #list > #out then
    out[#out + 1] = ('%d more may be reachable; --bounds FILE lists them'):format(#list - #out)
  end
  for _, item in ipairs(plan.unread) do out[#out + 1] = item.from .. ' ' .. item.message end
  return out
end

--- One line for each thing about the work tree that a person would wonder at inside.
local function tree_notes(resolved)
  local out, facts = {}, resolved.facts
  if not facts.root_is_ours then
    local whose = facts.root_look.uid == facts.uid and 'its mode forbids it'
      or ('it belongs to user id %d'):format(facts.root_look.uid)
    local remedy = facts.uid == 0 and '; root has no power over it inside, so run as that user'
      or '; --root names another'
    out[1] = ('the writable root %s cannot be written: %s%s'):format(text.visible(facts.root),
      whose, remedy)
  end
  local top, outside = facts.git_top, facts.git_outside
  if outside and verdict.file(resolved, outside).verdict ~= 'writable' then
    out[#out + 1] = ('git cannot write here: the repository of this work tree lies in %s; '
      .. '--write %s lets it'):format(text.visible(outside), text.shell(outside))
  elseif top then
    out[#out + 1] = ("git cannot write here: the work tree's top %s lies above the writable root; "
      .. '--root %s takes it whole'):format(text.visible(top), text.shell(top))
  end
  return out
end

--- One line for each flag that grants nothing here: somebody believes that the command has it.
local function flag_notes(prepared)
  local out, resolved = {}, prepared.resolved
  local function note(grant, message)
    if grant.layer == 'command line' then out[#out + 1] = ('%s: %s'):format(grant.from, message) end
  end
  for _, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      if item.grant.noun == 'socket' and item.look.type ~= 'socket' then
        note(item.grant, 'no socket is there')
      end
    end
  end
  for name, grants in pairs(resolved.env_grants) do
    for _, grant in ipairs(grants) do
      if grant.verb == 'allow' and not resolved.facts.env[name] then
        note(grant, 'it is not set')
      end
    end
  end
  local live = {}
  for _, socket in ipairs(view.granted_sockets(resolved, resolved.facts)) do
    live[socket.authority] = true
  end
  for name, grant in pairs(resolved.authorities) do
    if not live[name] then note(grant, 'none of its sockets is there') end
  end
  table.sort(out)
  return out
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
    say.error(message)
    return status
  end
  if options.dry_run then
    local argv, wrong = require('confine.pipeline.argv').render(prepared.plan, prepared.facts)
    if not argv then return say.problems { wrong } end
    local words = { text.shell(prepared.facts.bwrap.path) }
    for _, arg in ipairs(argv.args) do words[#words + 1] = text.shell(arg) end
    words[#words + 1] = '--'
    for _, arg in ipairs(command) do words[#words + 1] = text.shell(arg) end
    io.stdout:write((table.concat(words, ' '):gsub(' %-%-', ' \\\n  --')), '\n')
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
    say.error(summary(prepared))
    local open = open_endpoints(prepared)
    if open then say.error(open) end
    for _, note in ipairs(flag_notes(prepared)) do say.error(note) end
    for _, note in ipairs(tree_notes(prepared.resolved)) do say.error(note) end
    for _, note in ipairs(open_notes(prepared.plan)) do say.error(note) end
  end
  local plan, facts = prepared.plan, run.facts(prepared.facts)
  -- What the plan was made from is 3 MiB that would stay for as long as the command runs.
  prepared.resolved, prepared.policy, prepared.input, prepared.facts = nil, nil, nil, nil
  local outcome, wrong = run.execute(plan, facts, { timeout = timeout })
  if not outcome then return say.problems(wrong) end
  local is_told = write_report(reports.bounds, outcome.bounds)
  is_told = write_report(reports.audit, audit(prepared, outcome)) and is_told
  if outcome.truncated then say.error('the output was cut off at its limit') end
  if outcome.lost then say.error('output could not be written: ' .. outcome.lost) end
  local code = status_of(outcome)
  -- What was lost is told by the status too, unless the command failed anyway.
  return is_told and not (outcome.lost and code == 0) and code or 125
end

return M
