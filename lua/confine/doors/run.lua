-- The door out: executes a plan and reports the outcome and what the run was really confined by.

local argv = require 'confine.pipeline.argv'
local bounds = require 'confine.pipeline.bounds'
local core = require 'confine.core'

local M = {}

local function environment(plan)
  local out = {}
  for i, item in ipairs(plan.env) do out[i] = item.name .. '=' .. item.value end
  return out
end

--- Executes a plan.
-- @param plan from pipeline.plan
-- @param facts host facts
-- @param options { timeout = seconds or nil (the plan's limit holds where it is smaller), capture = boolean }
-- @return outcome { kind, ..., bounds }, or nil and a list of problems when nothing could be rendered
function M.execute(plan, facts, options)
  local rendered, wrong = argv.render(plan, facts)
  if not rendered then return nil, { wrong } end
  local timeout = options.timeout
  if plan.limit.wall and (not timeout or plan.limit.wall < timeout) then timeout = plan.limit.wall end
  local outcome, message = core.launch.run {
    bwrap = facts.bwrap.path, args = rendered.args, command = plan.command, env = environment(plan),
    timeout = timeout, tty = plan.tty == 'inherit' and 'inherit' or 'none', output = plan.limit.output,
    capture = options.capture,
  }
  if not outcome then outcome = { kind = 'not_started', message = message } end
  outcome.bounds = bounds.of(plan, facts, rendered.notes)
  return outcome
end

return M
