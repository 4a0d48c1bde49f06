-- What one run was really confined by, as a value: from what the stage, bwrap and keeper report.

local json = require 'confine.values.json'

local M = {}

local STAGE_NAMES = { shadow = 'late_names', hide = 'late_names', protect = 'late_protect',
  private = 'private', bind = 'bind' }

local REPLACED = {
  protect = 'the host replaced it during the run, and for a moment the command could write it: '
    .. 'look at it before you go on',
  shadow = 'the host made or replaced a hidden name in it during the run, and for a moment the '
    .. 'command could read it',
}

local UNWATCHED = 'the keeper cannot watch all folders (inotify, whose instances or watches other '
  .. 'programs of the user may hold), so it looks every 250 ms: what the host replaces or makes '
  .. 'under a refused or protected name can be open for so long'

--- What the stage did in a weaker way than the plan asked for.
local function stage_notes(report, out)
  for i, result in ipairs(report.stage.results) do
    local op = report.of[i]
    if result.outcome == 'weaker' then
      out[#out + 1] = { name = STAGE_NAMES[op.op] or op.op, path = op.path,
        message = result.reason }
    elseif result.outcome == 'pending' then
      out[#out + 1] = { name = 'not_built', path = op.path,
        message = 'the stage did not come to it' }
    end
    if result.replaced then
      out[#out + 1] = { name = 'replaced', path = op.path, message = REPLACED[op.op] }
    end
  end
  if report.stage.complaint then
    out[#out + 1] = { name = 'keeper', message = report.stage.complaint }
  end
  if report.stage.unwatched > 0 then
    out[#out + 1] = { name = 'unwatched', message = UNWATCHED }
  end
  if report.stage.waiting > 0 then
    out[#out + 1] = { name = 'placeholders', message = ('%d placeholders could not be removed; '
      .. 'the next run tries again'):format(report.stage.waiting) }
  end
  if report.stage.left > 0 then
    out[#out + 1] = { name = 'placeholders', message = ('%d placeholders were changed and stay')
      :format(report.stage.left) }
  end
end

local function guard_values(plan)
  local out = {}
  for _, item in ipairs(plan.guards) do out[item.guard] = item.value end
  return out
end

--- What RLIMIT_NPROC is worth: nothing for uid 0, whom the kernel exempts; all the user's processes
-- count where the run has no user namespace of its own before bwrap.
local function pids_by_rlimit(facts)
  if facts.uid == 0 then return 'none, the kernel exempts uid 0' end
  return facts.stage == true and 'rlimit' or 'rlimit of the user'
end

--- How the writable root is seen: a layer may make it private.
local function root_access(plan)
  for _, op in ipairs(plan.ops) do
    if op.op == 'private' and op.path == plan.root then return 'private' end
  end
  return 'rw'
end

local LATER_MOUNTS = "with userns 'granted' a command can keep its mounts apart from the view's: "
  .. 'what is masked or protected in the writable tree holds for it until the host replaces it'

local CONTROL_GROUPS = "with userns 'granted' a command of root can mount the control groups of "
  .. "the host, and limit, stop or kill what is in them; of a user's delegated groups nobody knows"

local LATER_SETTINGS = "with userns 'granted' /proc stays writable, since id maps are written "
  .. 'there: oom_score_adj, autogroup and coredump_filter of processes of the user that start '
  .. "later, and of the run's own keeper and bwrap, can be set"

--- The host's /proc with its processes covered: what of it is weaker than one of the run's own.
local function covered_notes(plan, facts, out)
  out[#out + 1] = { name = 'later_cmdlines', path = '/proc',
    message = 'no procfs can be mounted here (' .. tostring(facts.procfs.reason)
      .. '): command lines of processes and threads that start later stay visible, and those of '
      .. "the run's own keeper and bwrap with the network entries of the host; "
      .. (plan.userns == 'granted' and 'see later_settings'
        or 'all of /proc is read-only, the entries of the command itself too') }
  if plan.userns == 'granted' then
    out[#out + 1] = { name = 'later_settings', path = '/proc', message = LATER_SETTINGS }
  end
end

--- Bounds of a run.
-- @param plan the executed plan
-- @param facts host facts
-- @param notes list of { weaker, path, message } from the arguments
-- @param report { stage = report of core.stage or nil, of = the plan's operations it stands for,
--   guards = limits that were met, timeout = seconds that the launcher allowed, or nil }
-- @return { executor, fs, net, pid, ipc, proc, session, sockets, userns, abstract, limits, weaker }
function M.of(plan, facts, notes, report)
  local guards = guard_values(plan)
  local is_staged = report.stage ~= nil
  local out = {
    version = 1,
    executor = is_staged and 'stage' or 'bwrap',
    fs = ('ro-root+%s-%s'):format(root_access(plan), plan.root == plan.cwd and 'cwd' or 'root'),
    net = plan.net == 'none' and 'unshared' or 'host',
    pid = 'unshared',
    ipc = plan.ipc == 'private' and 'unshared' or 'host',
    proc = facts.procfs.mountable == true and 'fresh' or 'covered',
    session = plan.tty == 'none' and 'new' or 'inherited',
    sockets = is_staged and 'staged+kept' or 'masked',
    abstract = plan.net == 'none' and 'unshared' or (guards.abstract and 'landlock' or 'reachable'),
    keyring = guards.keyring and 'fresh' or 'host',
    userns = guards.filter and plan.userns or 'granted',
    root = plan.root,
    limits = json.object {
      memory = guards.group_memory and 'cgroup' or guards.data and 'rlimit a process',
      pids = guards.group_tasks and 'cgroup' or guards.processes and pids_by_rlimit(facts),
      files = guards.files and 'rlimit a process',
      wall = (report.timeout or plan.limit.wall) and 'launcher',
      output = plan.limit.output and 'launcher',
    },
    weaker = {},
  }
  for _, note in ipairs(notes) do
    out.weaker[#out.weaker + 1] = { name = note.weaker, path = note.path, message = note.message }
  end
  if is_staged then
    stage_notes(report, out.weaker)
    out.keeper = { put = report.stage.put, dropped = report.stage.dropped,
      refused = report.stage.refused, pinned = report.stage.pinned }
  elseif facts.stage then
    out.weaker[#out.weaker + 1] = { name = 'no_stage',
      message = 'the view was made by bwrap arguments: '
      .. tostring(facts.stage.unknown) .. '; a name that the host replaces is reachable again' }
  end
  if plan.userns == 'granted' then
    out.weaker[#out.weaker + 1] = { name = 'later_mounts', message = LATER_MOUNTS }
    out.weaker[#out.weaker + 1] = { name = 'control_groups', path = '/sys/fs/cgroup',
      message = CONTROL_GROUPS }
  end
  for _, item in ipairs(plan.unfound) do
    out.weaker[#out.weaker + 1] = { name = 'further_names', path = item.path,
      message = item.message }
  end
  for _, item in ipairs(plan.unread) do
    out.weaker[#out.weaker + 1] = { name = 'unread_endpoint', message = item.from .. ' '
      .. item.message }
  end
  if out.proc == 'covered' then
    covered_notes(plan, facts, out.weaker)
  end
  if out.abstract == 'reachable' then
    out.weaker[#out.weaker + 1] = { name = 'abstract_sockets',
      message = "net 'host' without a Landlock scope: abstract sockets of the host are reachable" }
  end
  return out
end

return M
