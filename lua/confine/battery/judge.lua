-- The verdict on a probe: from what came of it outside and inside, and from what `explain` claims.

local M = {}

--- The statuses, worst first. The first three make `verify` fail.
--   open      the attempt was reached although it must be refused
--   broken    what must go on working does not
--   differs   explain says otherwise than the battery, or a refusal does not say what it is
--   unproved  the control did not succeed, or there is nothing to try it with here
--   granted   reached, as the policy says
--   works     a legitimate leg
--   refused   as it must be
M.STATUSES = { 'open', 'broken', 'differs', 'unproved', 'granted', 'works', 'refused' }

local FAILS = { open = true, broken = true, differs = true }

--- What an attempt needs, for those that explain knows about.
local NEEDS = {
  read = 'read', find = 'read', list = 'read', write = 'write', create = 'write',
  replace = 'write', variable = 'env',
}

local ALLOWS = {
  read = { protected = true, writable = true, private = true, readable = true },
  write = { writable = true, private = true },
  env = { passed = true, set = true },
  connect = { reachable = true },
}

--- What an answer of explain claims about an attempt on what the host has there: 'reached',
-- 'refused', or nil where it claims neither.
function M.claim(attempt, answer)
  -- What a run has of its own by that name says nothing of the host's: a process with that number,
  -- an empty private place itself.
  local is_own = answer.is_made and answer.verdict == 'hidden'
    or answer.empty and answer.is_place
  if is_own and attempt[1] ~= 'create' then return nil end
  -- Nothing of the host's is in an empty private place; whether something can be made at a path in
  -- it depends on what the command made before.
  if answer.empty then return attempt[1] ~= 'create' and 'refused' or nil end
  -- The same holds for what is hidden: what the host has there does not show, that is all.
  if answer.verdict == 'hidden' and attempt[1] == 'create' then return nil end
  -- The place of a grant in what is protected is a mount, which cannot be renamed.
  if answer.lifted and attempt[1] == 'replace' then return nil end
  local needs = NEEDS[attempt[1]] or 'connect'
  return ALLOWS[needs][answer.verdict] and 'reached' or 'refused'
end

--- Was it reached? What was connected counts, though nothing answered in the protocol.
local function result_of(finding)
  if finding.result == 'unavailable' and finding.detail:find '^connected' then return 'reached' end
  return finding.result
end

local function is_grant(answer)
  return answer.granted or answer.lifted ~= nil or answer.verdict == 'passed'
    or answer.verdict == 'set' or answer.verdict == 'granted'
end

--- The status of one try.
-- @param probe its record
-- @param try { attempt, asks = what explain was asked about or nil, outside, inside = findings,
--   answer = of explain or nil, opened = the policy line that opens it or nil }; outside is nil
--   where no control is possible
-- @return status, and a reason for unproved and differs
function M.try(probe, try)
  local wanted = probe.expects or 'refused'
  local inside = result_of(try.inside)
  local claimed = try.answer and M.claim(try.asks or try.attempt, try.answer)
  local claim = try.opened and 'reached' or claimed or wanted
  if inside == 'reached' and claim == 'refused' then
    return try.answer and not claimed and is_grant(try.answer) and 'granted' or 'open'
  end
  if try.outside and result_of(try.outside) ~= 'reached' then
    return 'unproved', 'outside: ' .. try.outside.detail
  end
  if inside == 'reached' then
    if wanted == 'reached' then return 'works' end
    if try.opened or is_grant(try.answer) then return 'granted' end
    return 'differs', 'explain claims no refusal'
  elseif inside == 'refused' then
    return claim == 'reached' and 'broken' or 'refused'
  end
  return 'unproved', 'inside: ' .. try.inside.detail
end

--- The status of a try for which explain alone says what must come of it.
-- @param claim 'reached' or 'refused'
-- @param try { outside, inside }
-- @return 'agrees', 'open', 'broken' or 'unproved', and a reason for the last
function M.claimed(claim, try)
  local inside = result_of(try.inside)
  if inside == 'reached' and claim == 'refused' then return 'open' end
  if result_of(try.outside) ~= 'reached' then
    return 'unproved', 'outside: ' .. try.outside.detail
  end
  if inside == 'unavailable' then return 'unproved', 'inside: ' .. try.inside.detail end
  if inside == 'refused' and claim == 'reached' then return 'broken' end
  return 'agrees'
end

local RANK = {}
for rank, status in ipairs(M.STATUSES) do RANK[status] = rank end

--- The status of a probe from those of its tries: the worst, but that some tries could not be made
-- says nothing when others were.
-- @param tries list of { status, why }
-- @return status, reason
function M.whole(tries)
  local worst, why
  for _, try in ipairs(tries) do
    if try.status ~= 'unproved' and (not worst or RANK[try.status] < RANK[worst]) then
      worst, why = try.status, try.why
    end
  end
  if worst then return worst, why end
  return 'unproved', tries[1] and tries[1].why or 'nothing to try'
end

--- Counts of results by status, each status present.
function M.counts(results)
  local out = {}
  for _, status in ipairs(M.STATUSES) do out[status] = 0 end
  for _, result in ipairs(results) do out[result.status] = out[result.status] + 1 end
  return out
end

--- Did anything fail?
function M.fails(results)
  for _, result in ipairs(results) do
    if FAILS[result.status] then return true end
  end
  return false
end

return M
