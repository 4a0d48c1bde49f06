-- The door of the doctor: what this host offers each guard, by using each once, as values.

local argv = require 'confine.pipeline.argv'
local core = require 'confine.core'
local facts_door = require 'confine.doors.facts'
local place = require 'confine.doctor.place'
local run = require 'confine.doors.run'

local M = {}

--- Settings below /proc/sys that forbid something, or leave it open.
local SETTINGS = { 'kernel.apparmor_restrict_unprivileged_userns', 'kernel.io_uring_disabled',
  'kernel.unprivileged_userns_clone', 'kernel.yama.ptrace_scope', 'dev.tty.legacy_tiocsti',
  'user.max_user_namespaces' }

--- A short file without its end of line, nil where it is not there or may not be read.
local function line(path, max)
  local text = core.paths.read(path, max or 4096, { follow = true })
  return text and (text:gsub('[\n%z]+$', ''))
end

local function settings()
  local out = {}
  for _, name in ipairs(SETTINGS) do out[name] = line('/proc/sys/' .. name:gsub('%.', '/')) end
  return out
end

local function exists(path)
  local look = core.paths.look(path)
  return look ~= nil and look.type ~= 'absent' and look.type ~= 'unknown'
end

--- What tells the place, as doctor.place takes it.
local function signs(facts, mounts)
  return { os_release = line('/etc/os-release') or line('/usr/lib/os-release'),
    first = line('/proc/1/comm'), uid_map = line('/proc/self/uid_map'),
    manager = line('/run/systemd/container'), containerenv = line('/run/.containerenv'),
    dockerenv = exists '/.dockerenv', env = facts.env, mounts = mounts,
    service_account = exists '/var/run/secrets/kubernetes.io/serviceaccount',
    lxd = exists '/dev/incus' and '/dev/incus' or exists '/dev/lxd' and '/dev/lxd' or nil }
end

--- Mounts over entries of /proc, each once, sorted.
local function masks(mounts)
  local out, seen = {}, {}
  for _, mount in ipairs(mounts) do
    if mount.path:find('^/proc/') and not seen[mount.path] then
      seen[mount.path] = true
      out[#out + 1] = mount.path
    end
  end
  table.sort(out)
  return out
end

--- True, or why not.
local function proved(ok, why)
  return ok == true or { unknown = tostring(why) }
end

--- The steps of doors.facts that a launch goes through, each as far as it can be gone.
-- @return the first problem of each step by its name
local function steps(facts)
  local problems = {}
  local function go(name, step, ...)
    local ok, wrong = step(...)
    if not ok then problems[name] = wrong[1] end
    return ok
  end
  go('proc', facts_door.proc)
  -- Without a cache: what is remembered is no proof.
  if go('bwrap', facts_door.bwrap, facts) and not problems.proc then
    go('procfs', facts_door.procfs, facts, nil)
  end
  return problems
end

--- Looks at everything but a launch.
-- @param facts from doors.facts.caller
-- @return what the records of doctor/ judge: { uid, kernel, program, problems, bwrap, procfs,
--   userns, stage, overlay, guards, exposed, settings, modules, label, filters, chrooted, masks,
--   cache, records, place }; true or { unknown = reason } for what was used once
function M.examine(facts)
  local problems = steps(facts)
  local mounts = core.mounts.list() or {}
  local status = core.procfs.status('self') or {}
  local has_root = false
  for _, mount in ipairs(mounts) do has_root = has_root or mount.path == '/' end
  local userns, why = core.host.userns()
  if type(userns) == 'boolean' then userns = proved(userns, why) end
  local made, complaint = core.host.cache(facts.cache)
  return { uid = facts.uid, kernel = facts.kernel, program = facts.programs[1],
    problems = problems, bwrap = facts.bwrap, procfs = facts.procfs, userns = userns,
    stage = proved(core.stage.available()),
    overlay = { shadow = proved(core.stage.overlay 'shadow'),
      layer = proved(core.stage.overlay 'layer') },
    guards = core.guard.available(), exposed = core.guard.exposed(), settings = settings(),
    modules = line('/sys/kernel/security/lsm'), label = line('/proc/self/attr/current'),
    filters = tonumber(status.Seccomp_filters) or tonumber(status.Seccomp) or 0,
    chrooted = #mounts > 0 and not has_root, masks = masks(mounts),
    cache = { path = facts.cache, unknown = not made and complaint or nil },
    records = M.records(facts), place = place.of(signs(facts, mounts)) }
end

--- The folder of the placeholders' records, made and swept as a run does it.
function M.records(facts)
  local ok, why = core.stage.sweep(facts.records)
  return { path = facts.records, unknown = not ok and why or nil,
    volatile = facts.records:sub(1, #facts.cache) == facts.cache or nil }
end

--- An empty folder to stand in during a trial, or nil where none can be had.
function M.make_folder(facts)
  local folder = facts.cache .. '/doctor'
  return core.host.cache(facts.cache) and core.host.cache(folder) and folder or nil
end

--- Removes it, if nothing is in it.
function M.remove_folder(folder)
  if folder then os.remove(folder) end
end

--- The options of bwrap that a plan needs by one executor or the other, sorted.
-- @param prepared { plan, facts }
function M.needs(prepared)
  local knows_all = setmetatable({}, { __index = function() return true end })
  local facts = setmetatable({ bwrap = { path = prepared.facts.bwrap.path, options = knows_all } },
    { __index = prepared.facts })
  -- What core/launch adds by itself.
  local seen = { ['--args'] = true, ['--die-with-parent'] = true, ['--json-status-fd'] = true }
  for _, numbers in ipairs { { seccomp = 9 }, { seccomp = 9, info = 8, block = 7 } } do
    local rendered = argv.render(prepared.plan, facts, numbers)
    for _, arg in ipairs(rendered and rendered.args or {}) do
      if arg:find('^%-%-%l') then seen[arg] = true end
    end
  end
  local out = {}
  for option in pairs(seen) do out[#out + 1] = option end
  table.sort(out)
  return out
end

--- What bwrap said last.
local function last_words(text)
  local said
  for words in (text or ''):gmatch('[^\n]+') do said = words end
  return said
end

--- What a run is weaker in, without what is usual on a machine that lacks nothing: big folders
-- elsewhere, such as toolchains of the home, that were not looked through whole.
local function unusual(bounds, plan)
  local is_far, weaker = {}, {}
  for _, item in ipairs(plan.unfound) do is_far[item.path] = item.is_far end
  for _, item in ipairs(bounds.weaker) do
    if item.name ~= 'further_names' or not is_far[item.path] then weaker[#weaker + 1] = item end
  end
  return { weaker = weaker }
end

--- Runs a plan, whose command does nothing.
-- @param prepared { plan, facts }, or nil and the problems why there is none
-- @return { started = true, bounds = { weaker } }, or { started = false, kind, message, said }
function M.trial(prepared, problems)
  local outcome
  if prepared then
    outcome, problems = run.execute(prepared.plan, prepared.facts, { capture = true, timeout = 60 })
  end
  if not outcome then
    local first = problems[1]
    return { started = false, kind = first.kind,
      message = first.from and first.from .. ': ' .. first.message or first.message }
  end
  if outcome.kind == 'exited' then
    return { started = true, bounds = unusual(outcome.bounds, prepared.plan) }
  end
  return { started = false, kind = outcome.kind, said = last_words(outcome.stderr),
    message = outcome.message or 'it ended as ' .. outcome.kind }
end

return M
