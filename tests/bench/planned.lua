-- Prints the median time in milliseconds of so many runs of `true` whose plan is made already: what
-- a run takes when nothing is looked at and nothing is decided.
local run = require 'confine.doors.run'
local session = require 'confine.forms.cli.session'
local time = require 'posix.time'

local function now()
  local t = time.clock_gettime(time.CLOCK_MONOTONIC)
  return t.tv_sec * 1000 + t.tv_nsec / 1e6
end

local prepared, problems = session.plan({}, { '/usr/bin/true' })
if not prepared then error(problems[1].message) end
local facts, took = run.facts(prepared.facts), {}
for i = 1, tonumber(arg[1]) do
  local start = now()
  local outcome, wrong = run.execute(prepared.plan, facts, {})
  took[i] = now() - start
  if not outcome then error(wrong[1].message) end
  if outcome.kind ~= 'exited' then error(outcome.message or outcome.kind) end
end
table.sort(took)
print(('%.1f'):format(took[(#took + 1) // 2]))
