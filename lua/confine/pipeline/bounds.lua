-- What one run was really confined by, as a value.

local M = {}

--- Bounds of a run.
-- @param plan the executed plan
-- @param facts host facts
-- @param notes list of { weaker, path, message } from the executor
-- @return { executor, fs, net, pid, ipc, proc, session, sockets, userns, weaker = list }
function M.of(plan, facts, notes)
  local proc = 'fresh'
  if facts.procfs.mountable ~= true then proc = 'covered' end
  local out = {
    version = 1,
    executor = 'bwrap',
    fs = 'ro-root+rw-' .. (plan.root == plan.cwd and 'cwd' or 'root'),
    net = plan.net == 'none' and 'unshared' or 'host',
    pid = 'unshared',
    ipc = plan.ipc == 'private' and 'unshared' or 'host',
    proc = proc,
    session = plan.tty == 'none' and 'new' or 'inherited',
    sockets = 'masked',
    root = plan.root,
    weaker = {},
  }
  for _, note in ipairs(notes) do
    out.weaker[#out.weaker + 1] = { name = note.weaker, path = note.path, message = note.message }
  end
  if proc == 'covered' then
    out.weaker[#out.weaker + 1] = { name = 'later_cmdlines', path = '/proc',
      message = 'no procfs can be mounted here (' .. tostring(facts.procfs.reason)
        .. '): command lines of processes that start later stay visible' }
  end
  return out
end

return M
