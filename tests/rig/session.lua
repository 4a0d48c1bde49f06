--- A confined shell that stays, so that a spec can change the host while it runs and then make
--- attempts inside the same run.
--
-- Orders and answers go through files in a folder of the work tree, which the run may write: no
-- descriptor is needed that a guard might close.
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local rig = require 'tests.rig.rig'

local M = {}
M.__index = M

-- Takes orders one by one: N.sh is run once N.go is there; N.code says that it is over.
local SHELL = [[
cd "$0" && n=1 && : > ready
while :; do
  while ! test -e $n.go; do test -e end && exit 0; sleep 0.01; done
  (cd "$1" && sh "$0/$n.sh") > $n.out 2> $n.err < /dev/null
  echo $? > $n.code.part && mv $n.code.part $n.code
  n=$((n + 1))
done
]]

--- Starts a confined shell in the work tree and waits until it takes orders.
-- @param run as rig.confined takes it, without argv
-- @return a session; an error when it does not start
function M.open(run)
  local folder = place.folder(rig.work .. '/orders-' .. rig.serial(), rig.me)
  local full = { argv = { 'sh', '-c', SHELL, folder, rig.work } }
  for name, value in pairs(run or {}) do full[name] = value end
  local self = setmetatable({ folder = folder, count = 0,
    process = process.start(rig.confined_command(full)) }, M)
  local ready = process.poll(15, function()
    return place.exists(folder .. '/ready') or (not process.is_running(self.process) and 'ended')
  end)
  if ready ~= true then
    process.stop(self.process)
    local outcome = process.finish(self.process, 1)
    error(('no session (exit %d): %s'):format(outcome.code, outcome.err), 0)
  end
  return self
end

--- Runs a shell line inside, in the work tree.
-- @param seconds how long to wait (default 30)
-- @return { code, out, err }; code is nil when it did not end in time
function M:shell(line, seconds)
  self.count = self.count + 1
  local name = ('%s/%d'):format(self.folder, self.count)
  place.file(name .. '.sh', line .. '\n', rig.me)
  place.file(name .. '.go', '', rig.me)
  local code = process.poll(seconds or 30, function() return process.slurp(name .. '.code') end)
  return { code = tonumber(code), out = process.slurp(name .. '.out') or '',
    err = process.slurp(name .. '.err') or '' }
end

--- Makes an attempt inside; see rig.outside.
function M:attempt(attempt)
  local words = {}
  for i, word in ipairs(attempt) do words[i] = "'" .. word:gsub("'", "'\\''") .. "'" end
  local outcome = self:shell(rig.probe .. ' try ' .. table.concat(words, ' '))
  outcome.code = outcome.code or -1
  return rig.finding(outcome)
end

--- Asks inside for a while: a refusal must not lapse at any moment.
-- @return list of what came of the attempts that were not refused, as M.verdict says it
function M:lapses(attempt)
  local seen = {}
  for _ = 1, 10 do
    local finding = self:attempt(attempt)
    if finding.result ~= 'refused' then seen[#seen + 1] = M.verdict(finding) end
  end
  return seen
end

--- Ends the shell and waits for the run's end.
-- @return the run's outcome, see process.finish
function M:close()
  place.file(self.folder .. '/end', '', rig.me)
  local outcome = process.finish(self.process, 15)
  rig.remove(self.folder)
  return outcome
end

--- What came of an attempt, in the form that expectations have.
function M.verdict(finding)
  return finding.result == 'reached' and 'reached' or finding.result .. ' ' .. finding.errno
end

--- Refusals must hold with an ordinary /proc and with a masked one: { title, run }.
M.PLACES = { { 'an ordinary /proc', {} }, { 'a masked /proc', { wrap = { rig.masked_proc } } } }

return M
