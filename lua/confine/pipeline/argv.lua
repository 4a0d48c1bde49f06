-- A plan as bubblewrap arguments: all of it, or what is left to bwrap when the stage made the view.

local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local staging = require 'confine.pipeline.staging'

local M = {}

--- bubblewrap stops at this many arguments (MAX_ARGS in bubblewrap.c, measured with 0.8).
M.MAX_ARGS = 9000

--- What the launcher adds at most: the program, --args and its like with their values.
local OWN_ARGS = 16

--- An option this bwrap lacks, or nil.
local function lacking(args, options)
  for _, arg in ipairs(args) do
    if arg:sub(1, 2) == '--' and #arg > 2 and not options[arg] then return arg end
  end
end

local function namespaces(plan, add)
  add('--unshare-user')
  add('--unshare-pid')
  add('--unshare-uts')
  add('--unshare-cgroup-try')
  if plan.ipc == 'private' then add('--unshare-ipc') end
  if plan.net == 'none' then add('--unshare-net') end
  if plan.tty == 'none' then add('--new-session') end
  add('--cap-drop', 'ALL')
end

--- One shadowed folder: an empty one with the kept siblings bound back.
local function shadow(op, add, sealed)
  add('--perms', op.mode, '--tmpfs', op.path)
  for _, entry in ipairs(op.entries) do
    local where = path.join(op.path, entry.name)
    if entry.as == 'keep' then
      add('--ro-bind-try', where, where)
    elseif entry.as == 'link' then
      add('--symlink', entry.target, where)
    elseif entry.as == 'dir' then
      add('--dir', where)
    elseif entry.as == 'inert' and entry.type == 'socket' and not entry.glob then
      -- A device node on a nodev mount: connect ECONNREFUSED, open EACCES.
      add('--ro-bind', '/dev/null', where)
    end
  end
  if not op.writable then sealed[#sealed + 1] = op.path end
end

--- Masks, also in place of an overlay, which bwrap 0.8 cannot make: what exists is masked, what
-- comes later is not refused.
local function masks(op, add, notes)
  for _, entry in ipairs(op.entries) do
    local where = path.join(op.path, entry.name)
    if entry.type == 'dir' and entry.as == 'absent' then
      add('--perms', '0000', '--tmpfs', where, '--remount-ro', where)
    elseif (entry.as == 'inert' or entry.as == 'absent')
      and entry.type and entry.type ~= 'absent' and not entry.glob then
      add('--ro-bind', '/dev/null', where)
    end
  end
  notes[#notes + 1] = { weaker = 'late_names', path = op.path,
    message = 'a listed name that appears or is replaced later in this folder is not refused' }
end

--- Folders that exist in the view although they do not on the host.
local function made_folders(ops)
  local made, empties = {}, {}
  for _, op in ipairs(ops) do
    if op.op == 'shadow' then
      if op.writable then empties[#empties + 1] = op.path end
      for _, entry in ipairs(op.entries) do
        if entry.as == 'dir' and op.by == 'tmpfs' then
          made[path.join(op.path, entry.name)] = true
        end
      end
    end
  end
  return function(where)
    if made[where] then return true end
    for _, empty in ipairs(empties) do
      if path.within(where, empty) then return true end
    end
    return false
  end
end

local RENDER = {}

function RENDER.root(_, add) add('--ro-bind', '/', '/') end

function RENDER.shadow(op, add, state)
  if op.by ~= 'tmpfs' then return masks(op, add, state.notes) end
  shadow(op, add, state.sealed)
end

function RENDER.bind(op, add)
  add(op.access == 'rw' and '--bind' or (op.type == 'socket' and '--ro-bind-try' or '--ro-bind'),
    op.path, op.path)
end

function RENDER.hide(op, add) add('--ro-bind', '/dev/null', op.path) end

function RENDER.protect(op, add, state)
  if op.type == 'absent' then
    state.notes[#state.notes + 1] = { weaker = 'late_protect', path = op.path,
      message = 'absent, so not protected by bwrap arguments' }
  else
    add('--ro-bind', op.path, op.path)
  end
end

--- bwrap would make the folder on the host, and nobody would take it away.
function RENDER.skeleton() end

function RENDER.private(op, add, state)
  if op.absent and not state.made(op.path) then
    state.notes[#state.notes + 1] = { weaker = 'private', path = op.path,
      message = 'absent, and bwrap arguments cannot make it here: writes to it fail' }
  elseif op.layer then
    add('--bind', op.layer, op.path)
  else
    add('--perms', '0700', '--tmpfs', op.path)
  end
end

function RENDER.dev(op, add, state)
  add('--dev', op.path)
  -- bwrap binds the terminal of its stdout there, which is the host's.
  if state.facts.stdout_is_terminal and state.plan.tty == 'none' then
    add('--ro-bind', '/dev/null', '/dev/console')
  end
end

function RENDER.device(op, add) add('--dev-bind', op.path, op.path) end

function RENDER.proc(op, add, state)
  state.is_fresh = op.mode == 'fresh'
  if state.is_fresh then
    add('--proc', op.path)
  elseif state.plan.userns ~= 'granted' then
    -- Of the host's processes that start later nothing is covered, and what their owner may set
    -- of them asks for no more than the file's mode. With userns the id maps are written there.
    state.sealed[#state.sealed + 1] = op.path
  end
end

-- What `--proc` covers by itself where it could be written (cover_proc_dirs in bubblewrap.c).
local COVERED = { ['/proc/irq'] = true, ['/proc/bus'] = true, ['/proc/sysrq-trigger'] = true }

--- Each bind costs bwrap a look at every mount.
function RENDER.cover(op, add, state)
  if not (state.is_fresh and COVERED[op.path]) then add('--ro-bind', op.path, op.path) end
end

function RENDER.processes(op, add)
  for _, number in ipairs(op.numbers) do
    add('--perms', '0555', '--tmpfs', path.join(op.path, number))
  end
end

--- What appears later where no shadow stands, and sockets that were not put back.
local function note_late(plan, notes)
  for _, item in ipairs(plan.late) do
    notes[#notes + 1] = { weaker = item.missing and 'off_list' or 'late_names', path = item.path,
      message = item.missing and item.why
        or 'absent at the start; not refused if it appears later' }
  end
end

--- Renders a plan.
-- @param plan from pipeline/plan
-- @param facts { bwrap = { path, options }, stdout_is_terminal }
-- @param descriptors nil when bwrap makes the view itself, else { info, block = descriptor
--   numbers } of the stage that made it; { seccomp = descriptor number } in both cases, when there
--   is one
-- @return { args = list for --args, notes = list of { weaker, path, message } }, or nil and a
--   problem
function M.render(plan, facts, descriptors)
  local args, state = {}, { notes = {}, sealed = {}, made = made_folders(plan.ops), facts = facts,
    plan = plan }
  local is_staged = descriptors ~= nil and descriptors.info ~= nil
  local function add(...)
    for i = 1, select('#', ...) do args[#args + 1] = (select(i, ...)) end
  end
  namespaces(plan, add)
  if descriptors and descriptors.seccomp then add('--seccomp', tostring(descriptors.seccomp)) end
  if is_staged then
    add('--info-fd', tostring(descriptors.info), '--block-fd', tostring(descriptors.block))
    -- Only so the devices of the stage can be opened; it has closed all others (nodev).
    add('--dev-bind', '/', '/')
  end
  for _, op in ipairs(plan.ops) do
    if not (is_staged and staging.is_staged(op)) then RENDER[op.op](op, add, state) end
  end
  for _, where in ipairs(state.sealed) do add('--remount-ro', where) end
  add('--chdir', plan.cwd)
  note_late(plan, state.notes)
  local option = lacking(args, facts.bwrap.options)
  if option then
    return nil, problem.new { kind = 'bwrap_option',
      message = ('%s does not know the option %s'):format(facts.bwrap.path, option),
      hint = 'install bubblewrap 0.8 or later' }
  end
  local total = #args + #plan.command + OWN_ARGS
  if total > M.MAX_ARGS then
    local is_long = #plan.command > #args
    return nil, problem.new { kind = is_long and 'long_command' or 'too_many_names',
      message = ('%s %d bwrap arguments, and bwrap takes at most %d'):format(is_long
        and 'this command needs' or 'this policy needs', total, M.MAX_ARGS),
      hint = is_long and 'give it fewer words, or a file that holds them (xargs does)'
        or 'hide the folders that hold these names instead of each name' }
  end
  return { args = args, notes = state.notes }
end

return M
