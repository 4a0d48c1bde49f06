-- What holds for one thing: the verdict, the reason and the policy line, from a resolved policy.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'

local M = {}

--- The grant of one of these verbs at `where` or above it, no higher than `limit`; the deepest wins.
local function grant_between(resolved, where, limit, verbs)
  local at = where
  while at and path.within(at, limit) do
    for _, item in ipairs(resolved.grants[at] or {}) do
      if item.grant.noun == 'file' and verbs[item.grant.verb] then return item.grant, at end
    end
    at = path.split(at)
  end
end

local LIFTS = { hide = { read = true, write = true }, protect = { write = true } }

local function excepted(item, where)
  for _, carve in ipairs(item.except) do
    if path.within(where, carve) then return true end
  end
  return false
end

--- The refusals of files that cap `where`: { entry, at }, final ones first, and the lifted ones.
local function caps(resolved, where)
  local held, lifted = {}, {}
  local function judge(item, at)
    if excepted(item, where) then return end
    local entry = item.entry
    local grant = not entry.final and grant_between(resolved, where, at, LIFTS[entry.verb])
    if grant then
      lifted[#lifted + 1] = { entry = entry, at = at, by = grant }
    else
      held[#held + 1] = { entry = entry, at = at }
    end
  end
  local at = where
  while at do
    for _, item in ipairs(resolved.files[at] or {}) do judge(item, at) end
    at = path.split(at)
  end
  for _, pattern in ipairs(resolved.globs) do
    if pattern.noun == 'file' and not (resolved.files[where]) and glob.match(pattern.pattern, where) then
      judge(pattern.item, where)
    end
  end
  return held, lifted
end

local function first(held, verb)
  local best
  for _, cap in ipairs(held) do
    if cap.entry.verb == verb and (not best or (cap.entry.final and not best.entry.final)) then best = cap end
  end
  return best
end

local ACCESS = { write = true, private = true, read = true }

--- The verdict on a file or folder.
-- @param resolved resolved policy
-- @param where canonical path
-- @return { thing, verdict = 'hidden'|'protected'|'writable'|'private'|'readable', reason, from, why, lifted }
function M.file(resolved, where)
  local held, lifted = caps(resolved, where)
  local grant, granted_at = grant_between(resolved, where, '/', ACCESS)
  local out = { thing = where, lifted = lifted[1] and { from = lifted[1].entry.from, by = lifted[1].by.from } }
  local function say(verdict, reason, entry)
    out.verdict, out.reason = verdict, reason
    out.from, out.why = entry and entry.from, entry and entry.why
    out.final = entry and entry.final
    return out
  end
  local hide = first(held, 'hide')
  if hide then
    return say('hidden', hide.at == where and 'hidden' or 'below ' .. hide.at .. ', which is hidden', hide.entry)
  end
  if grant and grant.verb == 'write' then
    local protect = first(held, 'protect')
    if protect then return say('protected', 'readable; not writable and not replaceable', protect.entry) end
    return say('writable', granted_at == where and 'writable' or 'below ' .. granted_at .. ', which is writable', grant)
  end
  if grant and grant.verb == 'private' then
    local what = grant.empty and "private and empty; nothing of the host's shows"
      or "private: writes go to a layer of its own"
    return say('private', granted_at == where and what or 'below ' .. granted_at .. ', which is ' .. what, grant)
  end
  return say('readable', 'the root is readable and not writable', grant)
end

--- The grant that lifts a default refusal of a socket, or nil.
local function socket_lift(resolved, entry, where, identity)
  if entry.final then return nil end
  if entry.authority and resolved.authorities[entry.authority] then return resolved.authorities[entry.authority] end
  for _, item in ipairs(resolved.grants[where] or {}) do
    if item.grant.noun == 'socket' then return item.grant end
  end
  local by_identity = identity and resolved.identity_grants[identity]
  return by_identity and by_identity[1]
end

local function exact_grant(resolved, where, identity)
  for _, item in ipairs(resolved.grants[where] or {}) do
    if item.grant.noun == 'socket' then return item.grant end
  end
  return identity and resolved.identity_grants[identity] and resolved.identity_grants[identity][1]
end

--- The refusals that name a socket: by path, by glob, by identity.
local function socket_refusals(resolved, where, identity)
  local out, seen = {}, {}
  local function add(item)
    if not seen[item] then
      seen[item] = true
      out[#out + 1] = item.entry
    end
  end
  for _, item in ipairs(resolved.sockets[where] or {}) do add(item) end
  for _, pattern in ipairs(resolved.globs) do
    if pattern.noun == 'socket' and glob.match(pattern.pattern, where) then add(pattern.item) end
  end
  for _, item in ipairs(identity and resolved.identities[identity] or {}) do add(item) end
  table.sort(out, function(a, b)
    if a.final ~= b.final then return a.final and true or false end
    return (a.authority or '') .. '\0' .. a.from < (b.authority or '') .. '\0' .. b.from
  end)
  return out
end

--- The verdict on a socket with a path.
-- @param where canonical path
-- @param look { dev, ino } or nil when it is not there
-- @return { thing, verdict = 'refused'|'reachable', reason, from, why, authority, granted }
function M.socket(resolved, where, look)
  local identity = look and resolve.identity(look)
  local out = { thing = where }
  local lifted
  for _, entry in ipairs(socket_refusals(resolved, where, identity)) do
    local lift = socket_lift(resolved, entry, where, identity)
    if not lift then
      out.verdict, out.from, out.why, out.authority, out.final =
        'refused', entry.from, entry.why, entry.authority, entry.final
      out.reason = entry.authority and 'it hands out the authority ' .. entry.authority or 'refused by name'
      return out
    end
    lifted, out.authority = lift, entry.authority or out.authority
  end
  local grant = lifted or exact_grant(resolved, where, identity)
  if grant then
    out.verdict, out.reason, out.from, out.granted = 'reachable', 'granted', grant.from, true
    return out
  end
  local file = M.file(resolved, where)
  if file.verdict == 'hidden' then
    out.verdict, out.reason, out.from, out.why = 'refused', file.reason, file.from, file.why
    return out
  end
  local default = resolved.policy['socket.default']
  if default.value == 'refused' then
    out.verdict, out.reason, out.from = 'refused', "no list names it, and socket.default is 'refused'", default.from
    return out
  end
  out.verdict, out.reason, out.from = 'reachable', 'no list names it', default.from
  return out
end

--- The verdict on an abstract name (without its leading NUL).
function M.abstract(resolved, name)
  local out = { thing = '@' .. name }
  local net = resolved.policy.net
  local granted
  for _, entry in ipairs(resolved.abstract) do
    if glob.match(entry.thing:sub(2), name) then
      local lift = not entry.final and (entry.authority and resolved.authorities[entry.authority]
        or resolved.abstract_grants[out.thing] and resolved.abstract_grants[out.thing][1])
      out.authority = entry.authority
      if not lift then
        out.verdict, out.reason, out.from, out.why = 'refused', 'refused by name', entry.from, entry.why
        return out
      end
      granted = lift
    end
  end
  if net.value == 'none' then
    out.verdict, out.from = 'refused', net.from
    out.reason = "net 'none': abstract names of the host are in another network namespace"
  elseif resolved.policy.accept.abstract_sockets and not resolved.facts.landlock_scopes then
    out.verdict, out.from = 'reachable', resolved.policy.accept.abstract_sockets
    out.reason = 'this kernel has no Landlock scope, and a trusted layer accepted that'
  else
    out.verdict, out.reason, out.from = 'refused', 'a Landlock scope closes all abstract names of the host',
      granted and granted.from or net.from
  end
  return out
end

--- The verdict on a variable.
-- @param name string
-- @return { thing, verdict = 'unset'|'passed'|'set', value, reason, from, why }
function M.env(resolved, name)
  local out = { thing = 'env:' .. name, verdict = 'unset' }
  local grants = resolved.env_grants[name] or {}
  local allow, set
  for _, grant in ipairs(grants) do
    if grant.verb == 'allow' then allow = allow or grant end
    -- A layer's value comes before a profile's.
    if grant.verb == 'set' and (not set or (set.default and not grant.default)) then set = grant end
  end
  local refusals = {}
  for _, entry in ipairs(resolved.env[name] or {}) do refusals[#refusals + 1] = entry end
  for _, entry in ipairs(resolved.env_globs) do
    if glob.match(entry.thing, name) then refusals[#refusals + 1] = entry end
  end
  for _, entry in ipairs(refusals) do
    local lifted = not entry.final and (allow or set
      or entry.authority and resolved.authorities[entry.authority])
    if not lifted then
      out.reason = entry.authority and 'it leads to the authority ' .. entry.authority or 'refused by name'
      out.from, out.why, out.authority = entry.from, entry.why, entry.authority
      return out
    end
    out.authority = entry.authority
  end
  if set then
    out.verdict, out.value, out.reason, out.from = 'set', set.value, 'set by the policy', set.from
  elseif allow then
    local value = resolved.facts.env[name]
    out.reason, out.from = 'allowed', allow.from
    if value then out.verdict, out.value = 'passed', value else out.reason = 'allowed, but not set outside' end
  else
    out.reason = 'nothing passes by default'
  end
  return out
end

return M
