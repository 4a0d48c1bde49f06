-- The plan of one run: view operations, environment, guards, in order, as a plain value.

local devices = require 'confine.pipeline.devices'
local endpoints = require 'confine.pipeline.endpoints'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local record = require 'confine.pipeline.record'
local resolve = require 'confine.pipeline.resolve'
local root = require 'confine.pipeline.root'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'
local view = require 'confine.pipeline.view'

local M = {}

local function sorted_keys(map)
  local out = {}
  for key in pairs(map) do out[#out + 1] = key end
  table.sort(out)
  return out
end

--- The variable that a granted authority's socket is named by inside.
local VALUES = {
  url = function(where) return 'unix://' .. where end,
  path = function(where) return where end,
  ['dbus-address'] = function(where) return 'unix:path=' .. where end,
  wayland = function(where) return where end,
  pipewire = function(where) return where end,
  pulse = function(where) return 'unix:' .. where end,
  display = function(where)
    local number = where:match('/X(%d+)$')
    return number and ':' .. number
  end,
}

--- The variable that names an authority's socket when the environment names none: the one that its
-- record says, else the first, by name, whose kind is an address.
local function primary_variable(authority)
  if authority.variable then return authority.variable end
  for _, name in ipairs(sorted_keys(authority.env)) do
    local said = authority.env[name]
    if VALUES[said.kind] and not said.untrusted then return name end
  end
end

--- Is a variable the name of one of the credential files that a granted authority needs?
local function names_secret(authority, name)
  for thing in record.things(authority, 'secrets', true) do
    if authority.needs_secrets and thing == '$' .. name then return true end
  end
  return false
end

--- What a grant of an authority sets inside: its socket's variables, those that lead elsewhere as
-- they are, and those that name the credential files it needs.
-- @param socket its exposed socket, or nil
-- @param add function(name, value)
local function granted_variables(resolved, authority, socket, add)
  local outside, is_elsewhere = resolved.facts.env, endpoints.elsewhere(resolved.facts)
  for _, name in ipairs(sorted_keys(authority.env)) do
    local kind = authority.env[name].kind
    local is_wanted = outside[name] or name == primary_variable(authority)
    -- What only a project says is refused, and never granted: any variable could be named so.
    if authority.env[name].untrusted then
      goto continue
    elseif is_elsewhere[name] then
      add(name, outside[name])
    elseif VALUES[kind] and socket and is_wanted then
      add(name, VALUES[kind](socket.path))
    elseif kind == 'name' and outside[name] and names_secret(authority, name) then
      add(name, outside[name])
    end
    ::continue::
  end
end

--- The environment of the command, sorted by name.
-- @return list of { name, value, from }
function M.environment(resolved)
  local by_name = {}
  for _, name in ipairs(sorted_keys(resolved.env_grants)) do
    local judged = verdict.env(resolved, name)
    if judged.value then
      by_name[name] = { name = name, value = judged.value, from = judged.from }
    end
  end
  local sockets = {}
  for _, socket in ipairs(view.granted_sockets(resolved, resolved.facts)) do
    sockets[socket.authority] = socket
  end
  for _, authority in ipairs(sorted_keys(resolved.authorities)) do
    granted_variables(resolved, resolved.policy.authorities[authority], sockets[authority],
      function(name, value)
        local is_refused = verdict.env(resolved, name).reason == 'refused by name'
        if value and not by_name[name] and not is_refused then
          by_name[name] = { name = name, value = value,
            from = resolved.authorities[authority].from }
        end
      end)
  end
  local out = {}
  for i, name in ipairs(sorted_keys(by_name)) do out[i] = by_name[name] end
  return out
end

--- A weakness of this host that a trusted layer has to accept by name.
function M.need(resolved, problems, weakness, from, message)
  if resolved.policy.accept[weakness] then return end
  problems[#problems + 1] = problem.new { kind = 'no_guard', from = from, message = message,
    hint = ("write accept '%s' in a trusted layer to live with it"):format(weakness) }
end

--- /proc: a procfs of its own, or the host's with its processes covered, or a refusal.
local function proc_ops(resolved, problems)
  local facts, policy = resolved.facts, resolved.policy
  local mode = 'fresh'
  if facts.procfs.mountable ~= true then
    if policy.proc.value == 'fresh' then
      problems[#problems + 1] = problem.new { kind = 'no_procfs', from = policy.proc.from,
        message = "proc 'fresh': no procfs can be mounted here: " .. tostring(facts.procfs.reason),
        hint = "run where /proc is not masked (Docker: --security-opt systempaths=unconfined; "
          .. "Kubernetes: procMount: Unmasked with hostUsers: false), or write proc 'auto' to have "
          .. "the host's processes covered" }
    else
      M.need(resolved, problems, 'later_cmdlines', policy.proc.from,
        'no procfs can be mounted here (' .. tostring(facts.procfs.reason)
        .. '), so command lines of processes that start later stay visible')
    end
    mode = 'covered'
  end
  local ops = { { op = 'proc', path = '/proc', mode = mode, from = policy.proc.from } }
  if mode == 'covered' then
    ops[#ops + 1] = { op = 'processes', path = '/proc', numbers = facts.processes,
      why = "the host's processes that run when the view is made" }
  end
  -- As uid 0 these are written without any capability: core_pattern runs a program outside.
  for _, item in ipairs(facts.proc_writable) do
    ops[#ops + 1] = { op = 'cover', path = item.path, type = item.type, access = 'ro',
      why = 'kernel settings are the host\'s' }
  end
  return ops
end

--- Weaknesses of this host that a run needs accepted by name: { problem } when not.
local function guard_problems(resolved, problems)
  local policy, facts = resolved.policy, resolved.facts
  if policy.net.value == 'host' and not facts.landlock_scopes then
    M.need(resolved, problems, 'abstract_sockets', policy.net.from,
      "net 'host': this kernel has no Landlock "
      .. 'scopes (ABI 6, Linux 6.12), so abstract sockets of the host would be reachable')
  end
  if facts.stage ~= true then
    M.need(resolved, problems, 'late_names', 'built in',
      'the view can only be made by bwrap arguments here ('
      .. tostring(facts.stage and facts.stage.unknown)
      .. '), so a name that the host replaces is reachable again')
  end
end

--- Grants that cannot be what somebody wanted: devices that are not there, the whole host, and
-- on the command line paths that do not exist.
local function grant_problems(resolved, problems)
  local function wrong(grant, message, hint)
    problems[#problems + 1] = problem.new { kind = 'bad_grant', word = grant.noun,
      from = grant.from, message = message, hint = hint }
  end
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      local grant, shown = item.grant, text.visible(where)
      if grant.noun == 'device' and item.look.type ~= 'char' and item.look.type ~= 'block' then
        wrong(grant, ('device.grant: %s is no device of this host'):format(shown))
      elseif grant.noun ~= 'device' and devices.is_in(where) and not grant.default then
        wrong(grant, ("%s.%s: nothing of the host's is seen at %s: each run has a /dev of its own")
          :format(grant.noun, grant.verb, shown), 'only device.grant reaches into it')
      elseif grant.noun == 'file' and path.within(where, '/proc') and not grant.default then
        wrong(grant, ('file.%s: %s belongs to the /proc that is made for the run')
          :format(grant.verb, shown), 'the word `proc` says what it shows')
      elseif grant.noun == 'file' and grant.verb ~= 'read' and path.within(where, '/sys')
        and not grant.default then
        wrong(grant, ("file.%s: %s is no place to write to: what lies there are the kernel's "
          .. 'settings, for the whole host'):format(grant.verb, shown),
          'remove the line; /sys can be read')
      elseif grant.noun == 'file' and where == '/' and not grant.default then
        wrong(grant, ('file.%s: / would be the whole host'):format(grant.verb),
          'name the folders that are needed')
      elseif grant.noun == 'file' and grant.layer == 'command line' and grant.verb == 'write'
        and item.look.type == 'absent' then
        wrong(grant, ('%s does not exist'):format(shown),
          'make it first, or name the folder for it')
      end
    end
  end
  table.sort(problems, function(one, other)
    if one.message ~= other.message then return one.message < other.message end
    return (one.from or '') < (other.from or '')
  end)
end

--- Builds the plan.
-- @param policy merged policy
-- @param facts host facts with looks, folders, sockets (frozen)
-- @param command list of strings, at least one
-- @param resolved the policy resolved against the same facts, when the caller has it
-- @return plan, or nil; and a list of problems. A plan holds no function and no descriptor.
function M.build(policy, facts, command, resolved)
  local problems = {}
  resolved = resolved or resolve.resolve(policy, facts)
  local bad_root = root.problem(resolved)
  if bad_root then problems[#problems + 1] = bad_root end
  guard_problems(resolved, problems)
  grant_problems(resolved, problems)
  local proc = proc_ops(resolved, problems)
  if #problems > 0 then return nil, problems end

  local ops, late = view.draw(resolved)
  local all = { { op = 'root', path = '/' } }
  for _, op in ipairs(ops) do all[#all + 1] = op end
  all[#all + 1] = { op = 'dev', path = '/dev' }
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'device' then
      for _, where in ipairs(path.expand(grant.thing, facts)) do
        local look, at = (facts.looks[where] or {})[1], path.normal(where)
        local source = look and look.path or at
        if verdict.file(resolved, source).verdict ~= 'hidden'
          and (source == at or not verdict.refusal_of(resolved, at)) then
          all[#all + 1] = { op = 'device', path = at, from = grant.from,
            source = source ~= at and source or nil }
        end
      end
    end
  end
  for _, op in ipairs(proc) do all[#all + 1] = op end
  local cwd = facts.cwd
  local plan = { version = 1, root = facts.root, cwd = cwd, command = command,
    env = M.environment(resolved), ops = all, late = late, unfound = resolved.unfound,
    unread = M.unread(facts),
    guards = M.guards(policy, facts),
    net = policy.net.value, proc = policy.proc.value,
    ipc = policy.ipc.value, tty = policy.tty.value, userns = policy.userns.value,
    limit = M.limits(policy), accept = policy.accept, profiles = policy.profiles,
    expect = { { path = facts.root, dev = facts.root_look.dev, ino = facts.root_look.ino,
      type = 'dir' } } }
  return plan, problems
end

--- The guards set before bwrap is executed, as core.guard.prepare takes them.
-- @return list of { guard, value, from }
function M.guards(policy, facts)
  local function limit(name) return policy.limit[name] and policy.limit[name].value end
  local function from(name) return policy.limit[name] and policy.limit[name].from or 'built in' end
  local guards = {
    { guard = 'keyring', value = true, from = 'built in' },
    { guard = 'filter', value = true, from = 'built in' },
    { guard = 'userns', value = policy.userns.value, from = policy.userns.from },
  }
  local function add(name, value, where)
    if value then guards[#guards + 1] = { guard = name, value = value, from = where } end
  end
  if policy.net.value == 'host' and facts.landlock_scopes then
    add('abstract', true, policy.net.from)
  end
  add('files', limit 'files', from 'files')
  if facts.cgroup then
    add('group_memory', limit 'memory', from 'memory')
    add('group_tasks', limit 'pids', from 'pids')
  else
    add('data', limit 'memory', from 'memory')
    add('processes', limit 'pids', from 'pids')
  end
  return guards
end

--- The variables of the environment that name an authority and could not be read.
-- @return list of { from, message }
function M.unread(facts)
  local out = {}
  for i, item in ipairs(facts.unread or {}) do
    out[i] = { from = item.from, message = item.message .. ': what it names may be reachable' }
  end
  return out
end

--- The limits as plain numbers.
function M.limits(policy)
  local out = {}
  for key, item in pairs(policy.limit) do out[key] = item.value end
  return out
end

return M
