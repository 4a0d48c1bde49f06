-- The door out: executes a plan and reports the outcome and what the run was really confined by.

local argv = require 'confine.pipeline.argv'
local bounds = require 'confine.pipeline.bounds'
local core = require 'confine.core'
local in_force = require 'confine.pipeline.in_force'
local problem = require 'confine.values.problem'
local staging = require 'confine.pipeline.staging'

local M = {}

--- The keeper sweeps within this time after the command's end.
local KEEPER_MILLISECONDS = 5000

local function environment(plan)
  local out = {}
  for i, item in ipairs(plan.env) do out[i] = item.name .. '=' .. item.value end
  if not core.guard.is_on 'environment' then
    for _, item in ipairs(core.host.environ()) do
      out[#out + 1] = item.name .. '=' .. item.value
    end
  end
  return out
end

local function wrong(message, hint)
  return nil, { problem.new { kind = 'guard', message = message, hint = hint } }
end

--- Prepares the guards of a plan; nil and problems where one is not to be had.
local function prepare_guards(plan)
  local wishes = {}
  for _, item in ipairs(plan.guards) do wishes[item.guard] = item.value end
  local guards, message = core.guard.prepare(wishes)
  if not guards then
    return wrong('a guard cannot be set here: ' .. message,
      '`confine-lua doctor` tells which guards this host has')
  end
  return guards
end

--- Makes the folders of kept layers.
local function prepare_layers(plan)
  for _, op in ipairs(plan.ops) do
    if op.layer then
      local made, message = core.host.own_folder(op.layer)
      if not made then return wrong('the private layer cannot be kept: ' .. message) end
    end
  end
  return true
end

--- What helps when a message is about the folder of the records, or nil.
local function of_records(message, facts)
  return message:find(facts.records, 1, true)
    and 'XDG_STATE_HOME=DIR names a folder of yours that can be written; a run within a run '
      .. 'needs one, such as /tmp/state' or nil
end

--- Prepares the stage of a plan.
local function prepare_stage(plan, facts)
  local ops, of = staging.render(plan, facts)
  local stage, message = core.stage.prepare { ops = ops, records = facts.records }
  if not stage then
    return wrong('the view cannot be prepared: ' .. message, of_records(message, facts))
  end
  return stage, of
end

--- How an output is handed on: through a relay, or as a terminal that can only be written.
-- @return descriptor or nil, and whether a relay is needed; or nil, nil and problems
local function output(fd, name, tty)
  local how, complaint = core.guard.output(fd, name)
  if not how then return nil, nil, select(2, wrong(name .. ': ' .. complaint)) end
  if how == 'relay' then return nil, true end
  if tty == 'inherit' or not core.host.isatty(fd) or not core.guard.is_on 'stdin' then
    return nil, false
  end
  local terminal = core.guard.terminal(fd)
  return terminal, terminal == nil
end

--- The descriptors of the command: stdin made harmless, stdout and stderr relayed where they
-- must be.
-- @param tty whether the command shares the terminal: 'inherit' or 'none'
-- @param is_limited whether both outputs are relayed anyway
-- @return { fds, stdin = handle to settle, terminals = handles to close, relays = whether 1 and 2
--   are relayed }, or nil and problems
local function descriptors(tty, is_limited)
  local stdin, message = core.guard.stdin(0)
  if not stdin then return wrong('stdin: ' .. message) end
  local fds, terminals, relays = { stdin:fd(), 1, 2 }, {}, {}
  for fd, name in ipairs { 'stdout', 'stderr' } do
    local terminal, needs, problems = output(fd, name, tty)
    if problems then return nil, problems end
    relays[fd] = needs
    terminals[#terminals + 1] = terminal
    -- The launcher itself writes to what it was given.
    fds[fd + 1] = terminal and not is_limited and terminal:fd() or fd
  end
  return { fds = fds, stdin = stdin, terminals = terminals, relays = relays }
end

--- The facts that the execution itself needs.
function M.facts(facts)
  return { uid = facts.uid, bwrap = facts.bwrap, stage = facts.stage, records = facts.records,
    procfs = facts.procfs, stdout_is_terminal = facts.stdout_is_terminal,
    terminal = facts.terminal }
end

--- What helps when nothing was started: bwrap says why only on its standard error, and a stage or
-- a guard that fails now had worked when it was tried.
local REMEDY = 'see what bwrap said, if it did; `confine-lua doctor` tries all that a run needs '
  .. 'of this host and names what is missing'

--- A command whose control group met its limit of memory was killed for that, however bwrap saw it.
local function judge_limits(outcome, met)
  if met and met.memory and (outcome.kind == 'exited' or outcome.kind == 'signaled') then
    outcome.kind, outcome.limit = 'limited', 'memory'
  end
end

--- A run that the keeper ended, or that was ended since the keeper was, says why, and not by which
-- signal.
local function judge_keeper(outcome, report)
  local why = report.lost or outcome.limit == 'keeper'
    and 'its keeper was ended, which holds what is refused and protected'
  if why and outcome.kind ~= 'not_started' then outcome.kind, outcome.message = 'lost', why end
end

--- Executes a plan.
-- @param plan from pipeline.plan
-- @param facts host facts
-- @param options { timeout = seconds or nil (the plan's limit holds where it is smaller),
--   capture = boolean }
-- @return outcome { kind, ..., bounds, and a hint where kind is not_started }, or nil and a list of
--   problems when not even that was tried
function M.execute(plan, facts, options)
  plan = in_force.plan(plan, core.guard.is_on)
  local layers, problems = prepare_layers(plan)
  if not layers then return nil, problems end
  local guards
  guards, problems = prepare_guards(plan)
  if not guards then return nil, problems end
  local stage, of
  local numbers = { seccomp = guards:program() }
  if facts.stage == true then
    stage, of = prepare_stage(plan, facts)
    if not stage then return nil, of end
    numbers.info, numbers.block = stage:descriptors()
  end
  local rendered, complaint = argv.render(plan, facts, numbers)
  if not rendered then return nil, { complaint } end
  local tty = (plan.tty == 'inherit' or not core.guard.is_on 'session') and 'inherit' or 'none'
  local streams
  streams, problems = descriptors(tty, plan.limit.output ~= nil)
  if not streams then return nil, problems end
  local timeout = options.timeout
  if plan.limit.wall and (not timeout or plan.limit.wall < timeout) then
    timeout = plan.limit.wall
  end
  local outcome = core.launch.run {
    bwrap = facts.bwrap.path, args = in_force.args(rendered.args, core.guard.is_on),
    command = plan.command, env = environment(plan),
    timeout = timeout,
    tty = tty,
    output = plan.limit.output, capture = options.capture,
    fds = streams.fds, relay_stdout = streams.relays[1], relay_stderr = streams.relays[2],
    guards = guards, stage = stage,
  }
  core.guard.settle(0, streams.stdin)
  streams.stdin:close()
  for _, terminal in ipairs(streams.terminals) do terminal:close() end
  local report = { guards = guards:finish(), timeout = timeout }
  judge_limits(outcome, report.guards)
  if stage then
    report.stage, report.of = stage:finish(KEEPER_MILLISECONDS), of
    judge_keeper(outcome, report.stage)
  end
  outcome.timeout = timeout
  if outcome.kind == 'not_started' then
    outcome.hint = of_records(outcome.message or '', facts) or REMEDY
  end
  outcome.bounds = bounds.of(plan, facts, rendered.notes, report)
  return outcome
end

return M
