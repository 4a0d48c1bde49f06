-- What is doubtful in a sound policy: lines without effect, what caps a site's own users,
-- secret-looking names, open loopback; and with which no run starts.

local endpoints = require 'confine.pipeline.endpoints'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local secret_name = require 'confine.values.secret_name'
local words = require 'confine.words'

local M = {}

local SCALARS = { 'net', 'proc', 'ipc', 'tty', 'userns', 'socket.default' }

local function warn(list, kind, from, message, hint)
  list[#list + 1] = problem.new { kind = kind, from = from, message = message, hint = hint }
end

--- Is a path named by a thing of the policy, or below what it names?
-- @param alone boolean: not what is below it
local function covers(thing, where, facts, alone)
  for _, pattern in ipairs(path.expand(thing, facts)) do
    local at = where
    while at do
      if glob.match(pattern, at) then return true end
      at = not alone and path.split(at) or nil
    end
  end
  return false
end

--- Does a refusal for good leave a grant of a path nothing?
local function caps_path(entry, grant, facts)
  local is_socket = entry.noun == 'socket' and grant.noun == 'socket'
  local is_file = entry.verb == 'hide'
    or entry.verb == 'protect' and (grant.verb == 'write' or grant.noun == 'device')
  if not (is_socket or is_file) then return false end
  local granted = path.expand(grant.thing, facts)
  for _, where in ipairs(granted) do
    if not covers(entry.thing, where, facts, is_socket) then return false end
    for _, except in ipairs(entry.except) do
      if covers(except, where, facts) then return false end
    end
  end
  return #granted > 0
end

local function caps(entry, grant, facts)
  if grant.noun == 'authority' then return entry.authority == grant.thing end
  if grant.noun == 'env' then
    return entry.noun == 'env' and glob.match(entry.thing, grant.thing)
  end
  if grant.thing:byte(1) == 64 then
    return entry.thing:byte(1) == 64 and glob.match(entry.thing:sub(2), grant.thing:sub(2))
  end
  return caps_path(entry, grant, facts)
end

--- Why a grant of an abstract name has no effect: names are closed, or open, as a whole.
local function of_abstract(policy, facts)
  local net = policy.net
  if net.value == 'none' then
    return ("net 'none' (%s) closes all abstract names of the host"):format(net.from)
  elseif facts.landlock_scopes or not policy.accept.abstract_sockets then
    return 'a Landlock scope closes all abstract names of the host'
  end
  return 'all abstract names of the host are reachable'
end

--- Is a path at or below the place of a grant, other than the one that is asked about?
local function is_granted_above(policy, grant, where, facts)
  for _, other in ipairs(policy.grants) do
    if other ~= grant and other.noun == 'file' and other.verb ~= 'read' then
      for _, place in ipairs(path.expand(other.thing, facts)) do
        if path.below(where, place) then return true end
      end
    end
  end
  return false
end

--- Does a grant of writing name nothing that is there, in no place in which it could be made?
local function is_nowhere(policy, grant, facts, look)
  local granted = grant.noun == 'file' and grant.verb == 'write' and path.expand(grant.thing, facts)
  for _, where in ipairs(granted or {}) do
    local found = look(glob.plain(where))
    local is_there = not found or found.type ~= 'absent'
    if is_there or is_granted_above(policy, grant, found.path, facts) then return false end
  end
  return granted and #granted > 0
end

--- Grants of layers without effect: an explicit refusal caps them, or there is nothing to grant.
local function dead_grants(policy, facts, look, out)
  local function dead(grant, why, hint)
    warn(out, 'no_effect', grant.from, ("%s.%s '%s' has no effect: %s"):format(grant.noun,
      grant.verb, grant.thing, why), hint)
  end
  for _, grant in ipairs(policy.grants) do
    local capped
    for _, entry in ipairs(grant.default and {} or policy.refusals) do
      capped = capped or (entry.final and caps(entry, grant, facts) and entry)
    end
    if capped then
      dead(grant, capped.from .. ' refuses it for good', 'remove one of the two lines')
    elseif not grant.default and grant.noun == 'socket' and grant.thing:byte(1) == 64 then
      dead(grant, of_abstract(policy, facts), 'remove the line')
    elseif not grant.default and is_nowhere(policy, grant, facts, look) then
      dead(grant, 'it does not exist', 'make it first, or name the folder for it')
    end
  end
end

local function secret_names(policy, out)
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'env' and grant.verb == 'allow' and secret_name.is_one(grant.thing) then
      warn(out, 'secret_name', grant.from,
        ('%s looks like the name of a secret, and its value would be readable inside')
          :format(grant.thing))
    end
  end
end

local function reachable(policy, facts, out)
  for _, item in ipairs(endpoints.reachable(policy, facts)) do
    warn(out, 'reachable_endpoint', policy.net.from,
      ("net 'host' leaves the %s endpoint tcp://%s reachable (%s)")
        :format(item.authority, item.tcp, item.from), "use net 'none'")
  end
end

--- Exceptions of layers that lie outside of what they are exceptions of. Where a relative one lies
-- is another matter in each work tree.
local function dead_exceptions(policy, facts, out)
  for _, entry in ipairs(policy.refusals) do
    for _, except in ipairs(entry.final and entry.except or {}) do
      local is_inside = not except:find '^[/~$]'
      for _, where in ipairs(path.expand(except, facts)) do
        is_inside = is_inside or covers(entry.thing, where, facts)
      end
      if not is_inside then
        warn(out, 'no_effect', entry.from, ("except = '%s' has no effect: it is not in '%s'")
          :format(except, entry.thing), 'name something in it, or remove the exception')
      end
    end
  end
end

--- Lines of layers that begin with a variable which is not set here, or holds no path.
local function unset_variables(policy, facts, out)
  local function judge(word, thing, from)
    local name = thing:match '^%$([%a_][%w_]*)'
    if name and not path.expand(thing, facts, true)[1] then
      warn(out, 'no_effect', from, ("%s '%s' means nothing here: $%s %s"):format(word, thing, name,
        facts.env[name] and 'holds no absolute path' or 'is not set'),
        'set it where the runs start, or write the path')
    end
  end
  for _, entry in ipairs(policy.refusals) do
    if entry.final and not entry.authority and entry.noun ~= 'env' then
      judge(entry.noun .. '.' .. entry.verb, entry.thing, entry.from)
    end
  end
  for _, name in ipairs(policy.authority_names) do
    for _, part in ipairs(policy.authorities[name].parts) do
      for _, field in ipairs(part.added and { 'sockets', 'secrets' } or {}) do
        for _, thing in ipairs(part[field] or {}) do judge('authority.add', thing, part.from) end
      end
    end
  end
  for _, grant in ipairs(policy.grants) do
    if not grant.default and (grant.noun == 'file' or grant.noun == 'socket') then
      judge(grant.noun .. '.' .. grant.verb, grant.thing, grant.from)
    end
  end
end

--- Private places that are none: a layer can only be had over a folder.
local function private_files(policy, facts, look, out)
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'file' and grant.verb == 'private' and not grant.default then
      for _, where in ipairs(path.expand(grant.thing, facts)) do
        local found = look(where)
        if found and found.type ~= 'dir' and found.type ~= 'absent' and found.type ~= 'unknown' then
          warn(out, 'no_effect', grant.from,
            ("file.private '%s' has no effect: it is no folder"):format(grant.thing),
            'name the folder that it lies in')
          break
        end
      end
    end
  end
end

--- Profiles that a site includes: their values hold for whatever profile its users name.
local function site_includes(policy, out)
  for _, item in ipairs(policy.site_includes) do
    local caps_them = {}
    for _, name in ipairs(SCALARS) do
      local said, values = item.scalars[name], words.find(name).values
      if said and said.value ~= values[#values] then
        caps_them[#caps_them + 1] = ("%s '%s'"):format(name, said.value)
      end
    end
    if caps_them[1] then
      warn(out, 'caps_users', item.from,
        ("include '%s' in a site layer caps every profile that its users name: %s")
          :format(item.name, table.concat(caps_them, ', ')),
        'write what the site refuses itself, and leave the profile to its users')
    end
  end
end

--- Tells what is wrong with a policy from what is wrong with the place: somebody checks a policy
-- from a folder in which he would start no run, or for a host that is not this one.
-- @param problems what keeps a run from starting here
-- @param is_named boolean: the writable root is one that was asked for
-- @return list of problems of the policy, list of warnings
function M.refusals(problems, is_named)
  local of_policy, warnings = {}, {}
  for _, item in ipairs(problems) do
    local is_line = item.from and item.from ~= 'built in'
    if is_line or item.kind == 'capped_root' or (item.kind == 'bad_root' and is_named) then
      of_policy[#of_policy + 1] = item
    else
      warn(warnings, item.kind, item.from, 'no run starts here: ' .. item.message, item.hint)
    end
  end
  return of_policy, warnings
end

--- Judges a merged policy.
-- @param facts host facts, with landlock_scopes where the host could be read
-- @param look function(path) -> look at what is there, or nil
-- @return list of problems that do not stop a run
function M.warnings(policy, facts, look)
  local out = {}
  site_includes(policy, out)
  dead_grants(policy, facts, look, out)
  dead_exceptions(policy, facts, out)
  unset_variables(policy, facts, out)
  private_files(policy, facts, look, out)
  secret_names(policy, out)
  reachable(policy, facts, out)
  return out
end

return M
