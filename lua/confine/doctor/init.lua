--- What the doctor looks at: one record for each thing that a run needs, judged from facts.
--
-- A record is one file, lua/confine/doctor/NAME.lua:
--   name     the file's name
--   guards   what it is for, a sentence
--   proof    how it was found out, a sentence
--   missing  what a run is without it, in the words of its bounds where they have one, a sentence
--   judge    function(seen) -> status, what was seen (a sentence), the cause, which remedies go by,
--            and what a run is without it where that is not `missing` (false: nothing to say); pure
--   needs_proc 'any' or 'own' where it cannot be tried without a /proc, or one of our processes
--   remedies list of remedies, see doctor/remedies.lua
--   examples list of { seen = partial facts, status =, says = a part of the sentence, cause = }
--
-- The facts (`seen`) come from doors/doctor.lua: those that a run decides by, and more of the host.
--
-- A status is
--   ok       it is here
--   spare    it is not here, and the default profile does without
--   unknown  it could not be tried, for a reason that stands with another record
--   weaker   a run starts, and its bounds say that it is weaker
--   missing  no run starts

local remedies = require 'confine.doctor.remedies'

local M = {}

--- The records by section, in the order in which they are told.
M.SECTIONS = {
  { title = 'to start at all',
    names = { 'proc', 'bubblewrap', 'user_namespaces', 'sandbox', 'placeholders', 'launch' } },
  { title = 'the view', names = { 'stage', 'procfs', 'overlay' } },
  { title = 'guards', names = { 'seccomp', 'keyring', 'limits', 'cgroup', 'landlock',
    'seccomp_listener' } },
  { title = 'what the host leaves open', names = { 'tiocsti', 'io_uring', 'vsock', 'ptrace' } },
  { title = 'where this is', names = { 'container', 'apparmor', 'cache' } },
}

--- One record by its name.
function M.record(name)
  return require('confine.doctor.' .. name)
end

--- Is nothing known of a record for want of a /proc?
local function is_blind(record, seen)
  local problem = seen.problems.proc
  return problem ~= nil
    and (record.needs_proc == 'own' or record.needs_proc == 'any' and problem.kind == 'no_proc')
end

--- Judges one record.
-- @param record a record
-- @param seen facts
-- @return finding { name, status, says, cause, guards, proof, missing, remedies = list }
function M.finding(record, seen)
  local status, says, cause, missing
  local is_judged = not is_blind(record, seen)
  if is_judged then
    status, says, cause, missing = record.judge(seen)
  else
    status, says = 'unknown', 'not tried without a /proc'
  end
  if missing == nil then missing = record.missing end
  return { name = record.name, status = status, says = says, cause = cause,
    guards = record.guards, proof = record.proof, missing = missing or nil,
    remedies = is_judged and status ~= 'ok' and remedies.choose(record.remedies, cause, seen)
      or {} }
end

--- What all findings together say of `run` with the default profile: the trial decides whether it
-- starts, since it is the run itself.
-- @return 'full' | 'weaker' | 'refused'
local function verdict(seen, findings)
  if seen.trial.started ~= true then return 'refused' end
  for _, finding in ipairs(findings) do
    if finding.status == 'weaker' or finding.status == 'missing' then return 'weaker' end
  end
  return 'full'
end

--- Judges everything.
-- @param seen facts
-- @return report { version, place, kernel, verdict, sections = list of { title, findings } }
function M.report(seen)
  local report = { version = 1, place = seen.place, kernel = seen.kernel, uid = seen.uid,
    sections = {} }
  local all = {}
  for i, section in ipairs(M.SECTIONS) do
    local findings = {}
    for at, name in ipairs(section.names) do
      findings[at] = M.finding(M.record(name), seen)
      all[#all + 1] = findings[at]
    end
    report.sections[i] = { title = section.title, findings = findings }
  end
  report.verdict = verdict(seen, all)
  return report
end

return M
