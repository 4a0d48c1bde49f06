-- What holds for one thing: the verdict, the reason and the policy line, from a resolved policy.

local devices = require 'confine.pipeline.devices'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'

local M = {}

local NONE = {}

--- Of several lines that say the same, the one to name: a final one first, then by its place.
local function earlier(a, b)
  if not b then return true end
  if a.final ~= b.final then return a.final == true end
  return a.from < b.from
end

local grant_between

--- Can a private layer lie there? Over a folder, or over what is not there and is made as one; not
-- in a place that shows the host's, where it would have to be made too. A hidden one shows nothing.
local function may_be_private(resolved, look, at)
  if look.type == 'dir' or (look.type == 'absent' and resolved.emptied[at]) then return true end
  local parent = path.split(at)
  local above = parent and grant_between(resolved, parent, '/', { write = 1, private = 1 })
  return look.type == 'absent' and (not above or above.empty == true)
end

--- Does a grant make a place there? What is not there is not made to be written.
local function makes_place(resolved, item, at)
  if item.grant.verb == 'private' then return may_be_private(resolved, item.look, at) end
  return item.look.type ~= 'absent'
end

--- Where a grant stands among others at one place, by its verb. That a layer has a place private
-- comes before a profile's default of writing there: `--private .`.
local function rank(grant, verbs)
  local is_default = grant.default and grant.verb == 'write' and verbs.private
  return is_default and verbs.private + 1 or verbs[grant.verb]
end

--- Of several grants at one place: by verb, an empty private place before one that shows what the
-- host has, then by the line.
local function comes_first(grant, best, verbs)
  local one, other = rank(grant, verbs), best and rank(best, verbs)
  if one ~= other then return not best or one < other end
  if (grant.empty == true) ~= (best.empty == true) then return grant.empty == true end
  return grant.from < best.from
end

--- The grant of one of these verbs at `where` or above it, up to `limit`; the deepest wins.
-- @param own only grants that layers write, not those of profiles
-- @param made only grants that make a place; a private one counts in no other way
function grant_between(resolved, where, limit, verbs, own, made)
  local at, grants = where, resolved.grants
  while at and (limit == '/' or path.within(at, limit)) do
    local best
    for _, item in ipairs(grants[at] or NONE) do
      local grant = item.grant
      if grant.noun == 'file' and verbs[grant.verb] and not (own and grant.default)
        and (not (made or grant.verb == 'private') or makes_place(resolved, item, at))
        and comes_first(grant, best, verbs) then
        best = grant
      end
    end
    if best then return best, at end
    at = path.split(at)
  end
end

local LIFTS = { hide = { write = 1, read = 2 }, protect = { write = 1 } }

--- The grant of a socket by this name, or under another name of its file.
local function exact_grant(resolved, where, identity)
  if not resolved.grants_sockets then return nil end
  for _, item in ipairs(resolved.grants[where] or NONE) do
    if item.grant.noun == 'socket' then return item.grant end
  end
  return identity and resolved.identity_grants[identity] and resolved.identity_grants[identity][1]
end

--- The grant of an authority or a socket that releases a file: what stands at the name of the
-- socket, and a credential file where its record says that it is of no use without.
local function released_by(resolved, entry, at)
  local grant = entry.authority and resolved.authorities[entry.authority]
  if entry.of_socket then return grant or exact_grant(resolved, at) end
  return grant and resolved.policy.authorities[entry.authority].needs_secrets and grant or nil
end

local ACCESS, LAYER, READ = { write = 1, private = 2 }, { private = 1 }, { read = 1 }

--- The private place of a hidden folder (pipeline.emptied) that `where` lies in, from `limit` on,
-- and in no further place there.
local function emptied_over(resolved, where, limit)
  if not next(resolved.emptied) then return nil end
  local _, at = grant_between(resolved, where, limit, ACCESS, nil, true)
  return at and resolved.emptied[at]
end

--- Does a refusal of files at `at` cap `where`? Also the grant that lifts it.
local function caps(resolved, entry, at, where, own)
  for _, carve in ipairs(resolved.excepts[entry] or NONE) do
    if path.within(where, carve) then return false end
  end
  if entry.final then return true end
  local released = released_by(resolved, entry, at)
  if released then return false, released end
  -- What is refused as a socket may become one: no grant of files lifts that.
  if entry.of_socket or not resolved.liftable[at] then return true end
  local grant = grant_between(resolved, where, at, LIFTS[entry.verb], own)
    or entry.verb == 'hide' and emptied_over(resolved, where, at) or nil
  return grant == nil, grant
end

--- Does a refusal of files that stands at `at` hold for `where`, whatever profiles grant?
function M.holds(resolved, entry, at, where)
  return (caps(resolved, entry, at, where, true))
end

--- The refusals of files that hold at `where`, by verb, each with where it stands; one that is
-- lifted; and the deepest place of a hiding that a grant of reading lifts.
local function held_at(resolved, where)
  local held, lifted, shown = {}, nil, nil
  local function judge(entry, at)
    local caps_it, grant = caps(resolved, entry, at, where)
    if caps_it then
      local known = held[entry.verb]
      if earlier(entry, known and known.entry) then
        held[entry.verb] = { entry = entry, at = at }
      end
    elseif grant then
      if earlier(entry, lifted and lifted.entry) then lifted = { entry = entry, by = grant } end
      if entry.verb == 'hide' and grant.verb == 'read' then shown = shown or at end
    end
  end
  local at = where
  while at do
    for _, entry in ipairs(resolved.files[at] or NONE) do judge(entry, at) end
    at = path.split(at)
  end
  if not resolved.files[where] then
    for _, entry in ipairs(resolve.globs_over(resolved, where)) do
      -- Of what is absent only a plain last part is protected: `mise*.toml` keeps what is there.
      local is_kept = entry.verb ~= 'protect' or not glob.is_glob(entry.thing:match('[^/]*$'))
      if entry.noun == 'file' and is_kept then judge(entry, where) end
    end
  end
  return held, lifted, shown
end

--- A refusal for good of a device, or nil. None can be had and be protected from being written.
-- @param where canonical path, or the name of a link to it
-- @return entry
function M.refusal_of(resolved, where)
  local held = held_at(resolved, where)
  for _, verb in ipairs { 'hide', 'protect' } do
    local entry = held[verb] and held[verb].entry
    if entry and entry.final then return entry end
  end
end

--- The grant whose writable or private place `where` lies in, and where that is. No writable place
-- comes of a grant that is protected where it stands: what lies there belongs to the place around
-- it, and where there is none that grant is named.
local function place_over(resolved, where)
  local first, first_at
  local at = where
  while at do
    local grant
    grant, at = grant_between(resolved, at, '/', ACCESS, nil, true)
    if not grant then break end
    if grant.verb == 'write' and held_at(resolved, at).protect then
      if not first then first, first_at = grant, at end
      grant = grant_between(resolved, at, at, LAYER)
    end
    if grant then return grant, at end
    at = path.split(at)
  end
  return first, first_at
end

--- Does `where` show in a hidden folder of a private place, or in one that is hidden itself? It
-- shows as the host has it then. In an empty place that is made nothing of the host's shows.
local function shows_through(resolved, where, place, grant)
  local at = where ~= place and (grant.empty and place or path.split(where))
  while at and path.within(at, place) do
    if held_at(resolved, at).hide then return true end
    at = path.split(at)
  end
  return false
end

--- The verdict on a file or folder.
-- @param resolved resolved policy
-- @param where canonical path
-- @return { thing, verdict = 'hidden'|'protected'|'writable'|'private'|'readable', reason, from,
--   why, socket = the refused socket that takes it away, authority = whose that is, lifted,
--   is_made = each run has one of its own there, is_place = it is the private place itself }
function M.file(resolved, where)
  local grants = resolved.grants[where] or NONE
  if devices.is_in(where) or devices.granted(grants) then
    local final = devices.granted(grants) and M.refusal_of(resolved, where)
    if final then
      return { thing = where, verdict = 'hidden', reason = 'hidden', from = final.from,
        why = final.why, final = true }
    end
    local verdict, reason, grant = devices.verdict(where, grants)
    return { thing = where, verdict = verdict, reason = reason, from = grant and grant.from,
      is_made = true }
  end
  local held, lifted, shown = held_at(resolved, where)
  local grant, granted_at = place_over(resolved, where)
  if grant and shown and not grant.empty and path.below(shown, granted_at) then
    -- What a grant of reading shows again, one of writing above it does not make writable; one
    -- that lifts the same hiding does.
    grant = nil
  end
  if grant and grant.verb == 'private' and shows_through(resolved, where, granted_at, grant) then
    grant = nil
  end
  -- A grant of reading takes no writing away.
  grant = grant or grant_between(resolved, where, '/', READ)
  local out = { thing = where,
    lifted = lifted and { from = lifted.entry.from, by = lifted.by.from } }
  local function say(verdict, reason, entry)
    out.verdict, out.reason = verdict, reason
    out.from, out.why = entry and entry.from, entry and entry.why
    out.final = entry and entry.final
    return out
  end
  if held.hide then
    local at, entry = held.hide.at, held.hide.entry
    local how = 'hidden'
    if entry.of_socket then
      how, out.socket, out.authority = 'refused as a socket', at, entry.authority
    end
    return say('hidden', at ~= where and ('below %s, which is %s'):format(at, how)
      or entry.of_socket and how .. ', whatever it is' or how, entry)
  end
  if grant and grant.verb == 'write' then
    if held.protect then
      return say('protected', 'readable; not writable and not replaceable', held.protect.entry)
    end
    return say('writable', granted_at == where and 'writable'
      or 'below ' .. granted_at .. ', which is writable', grant)
  end
  if grant and grant.verb == 'private' then
    local what = grant.empty and "private and empty; nothing of the host's shows"
      or 'private: writes go to a layer of its own'
    out.empty, out.is_place = grant.empty or nil, granted_at == where or nil
    return say('private', granted_at == where and what
      or 'below ' .. granted_at .. ', which is ' .. what, grant)
  end
  return say('readable', 'the root is readable and not writable', grant)
end

local WRITTEN = { writable = true, private = true }

--- Does the command write there, be it to a layer of its own? It may change modes there, too.
-- @return boolean
function M.is_written(resolved, where)
  return WRITTEN[M.file(resolved, where).verdict] == true
end

--- Is a file entry's own name hidden (or protected) for sure, without a closer look?
function M.surely_held(resolved, entry, where)
  return not resolved.excepts[entry]
    and (entry.final or not (resolved.liftable[where] or released_by(resolved, entry, where)))
end

--- The grant that lifts a default refusal of a socket, or nil.
local function socket_lift(resolved, entry, where, identity)
  if entry.final then return nil end
  local by_authority = entry.authority and resolved.authorities[entry.authority]
  return by_authority or exact_grant(resolved, where, identity)
end

--- The refusals that name a socket: by path, by glob, by identity.
-- @param identity from resolve.identity, or nil
-- @return list of entries
function M.socket_refusals(resolved, where, identity)
  local out, seen = {}, {}
  local function add(entry)
    if not seen[entry] then
      seen[entry] = true
      out[#out + 1] = entry
    end
  end
  for _, entry in ipairs(resolved.sockets[where] or NONE) do add(entry) end
  for _, entry in ipairs(resolve.globs_over(resolved, where)) do
    if entry.noun == 'socket' then add(entry) end
  end
  for _, entry in ipairs(identity and resolved.identities[identity] or NONE) do add(entry) end
  return out
end

--- Does nothing in the policy but socket.default speak of a socket? The cheap question: a host has
-- ten thousand of them, and what holds for all of a folder is found once.
-- @param where absolute path
-- @param identity from resolve.identity, or nil
function M.is_off_list(resolved, where, identity)
  if resolved.sockets[where] or resolved.files[where] or resolved.grants[where]
    or (identity and (resolved.identities[identity] or resolved.hidden[identity]
      or resolved.identity_grants[identity])) then
    return false
  end
  -- Not by path.split, which remembers each path.
  local folder = where:match('^(.*)/')
  local is_open = resolved.is_open[folder]
  if is_open == nil then
    local above = folder == '' and '/' or folder
    is_open = not resolve.has_globs(resolved, above) and M.file(resolved, above).verdict ~= 'hidden'
    resolved.is_open[folder] = is_open
  end
  return is_open
end

--- The verdict on a socket as a file. One that is hidden by a name of its own is hidden by every
-- other, as sockets go by identity.
local function hiding(resolved, where, identity)
  local own = M.file(resolved, where)
  if own.verdict == 'hidden' then return own end
  for _, other in ipairs(identity and resolved.hidden[identity] or {}) do
    local judged = M.file(resolved, other)
    if judged.verdict == 'hidden' then
      judged.reason = 'hidden as ' .. other
      return judged
    end
  end
  return own
end

--- The verdict on a socket with a path.
-- @param where canonical path
-- @param look { dev, ino } or nil when it is not there
-- @return { thing, verdict = 'refused'|'reachable', reason, from, why, authority, granted,
--   by_default = socket.default alone refuses it }
function M.socket(resolved, where, look)
  local identity = look and resolve.identity(look)
  local out = { thing = where }
  local refusal, lifted
  for _, entry in ipairs(M.socket_refusals(resolved, where, identity)) do
    local lift = socket_lift(resolved, entry, where, identity)
    if not lift then
      if earlier(entry, refusal) then refusal = entry end
    elseif not entry.untrusted and (not lifted or lift.from < lifted.from) then
      -- What a project adds to a record is refused with it, but not granted with it.
      lifted, out.authority = lift, entry.authority
    end
  end
  if refusal then
    out.verdict, out.from, out.why, out.authority, out.final =
      'refused', refusal.from, refusal.why, refusal.authority, refusal.final
    out.reason = refusal.authority and 'it hands out the authority ' .. refusal.authority
      or 'refused by name'
    return out
  end
  local grant = lifted or exact_grant(resolved, where, identity)
  local file = hiding(resolved, where, identity)
  local is_put = exact_grant(resolved, where)
    or (grant and (not resolved.exposed or resolved.exposed[where]))
  if file.verdict == 'hidden' and (file.final or not is_put) then
    out.verdict, out.reason, out.from, out.why = 'refused', file.reason, file.from, file.why
    out.authority, out.final, out.is_made = nil, file.final, file.is_made
    return out
  end
  local is_layered = file.verdict == 'private' and identity and resolved.kept
  if is_layered and not (is_put or resolved.kept[where]) then
    out.verdict, out.from, out.authority = 'refused', file.from, nil
    out.reason = 'in a private place only the name that a socket was bound to is put back'
    return out
  end
  if grant then
    out.verdict, out.reason, out.from, out.granted = 'reachable', 'granted', grant.from, true
    return out
  end
  local default = resolved.policy['socket.default']
  if default.value == 'refused' then
    out.verdict, out.from, out.by_default = 'refused', default.from, true
    out.reason = "no list names it, and socket.default is 'refused'"
    return out
  end
  out.verdict, out.reason, out.from = 'reachable', 'no list names it', default.from
  return out
end

--- Does what the host has at a path show, or what comes there?
-- @param look of the path
function M.shows(resolved, where, look)
  if M.file(resolved, where).verdict == 'hidden' then return false end
  local is_socket = look.type == 'socket'
    or (look.type == 'absent' and #M.socket_refusals(resolved, where) > 0)
  return not is_socket
    or M.socket(resolved, where, look.type == 'socket' and look or nil).verdict == 'reachable'
end

--- The refusals that name an abstract name.
-- @return list of entries
function M.abstract_refusals(resolved, name)
  local out = {}
  for _, entry in ipairs(resolved.abstract) do
    if glob.match(entry.thing:sub(2), name) then out[#out + 1] = entry end
  end
  return out
end

--- The verdict on an abstract name (without its leading NUL).
function M.abstract(resolved, name)
  local out = { thing = '@' .. name }
  local net = resolved.policy.net
  local refusal, granted
  for _, entry in ipairs(M.abstract_refusals(resolved, name)) do
    local exact = resolved.abstract_grants[out.thing]
    local lift = not entry.final
      and (entry.authority and resolved.authorities[entry.authority] or exact and exact[1])
    if lift then
      granted = lift
    elseif earlier(entry, refusal) then
      refusal = entry
    end
    out.authority = entry.authority
  end
  local accepted = net.value ~= 'none' and not resolved.facts.landlock_scopes
    and resolved.policy.accept.abstract_sockets
  if accepted then
    -- Nothing refuses a name then, whatever a line says.
    out.verdict, out.from = 'reachable', accepted
    out.reason = 'this kernel has no Landlock scope, and a trusted layer accepted that'
  elseif refusal then
    out.verdict, out.reason = 'refused', 'refused by name'
    out.from, out.why = refusal.from, refusal.why
    out.authority, out.final = refusal.authority, refusal.final
  elseif net.value == 'none' then
    out.verdict, out.from = 'refused', net.from
    out.reason = "net 'none': abstract names of the host are in another network namespace"
  else
    out.verdict, out.from = 'refused', granted and granted.from or net.from
    out.reason = 'a Landlock scope closes all abstract names of the host'
  end
  return out
end

--- The verdict on a variable.
-- @param name string
-- @return { thing, verdict = 'unset'|'passed'|'set', value, reason, from, why }
function M.env(resolved, name)
  local out = { thing = 'env:' .. name, verdict = 'unset' }
  local allow, set
  for _, grant in ipairs(resolved.env_grants[name] or NONE) do
    if grant.verb == 'allow' and (not allow or grant.from < allow.from) then allow = grant end
    -- A layer's value comes before a profile's.
    if grant.verb == 'set' and (not set or (set.default and not grant.default)
      or (set.default == grant.default and grant.from < set.from)) then
      set = grant
    end
  end
  local refusal
  local function judge(entry)
    local lifted = not entry.final
      and (allow or set or entry.authority and resolved.authorities[entry.authority])
    if not lifted and earlier(entry, refusal) then refusal = entry end
    out.authority = entry.authority
  end
  for _, entry in ipairs(resolved.env[name] or NONE) do judge(entry) end
  for _, entry in ipairs(resolved.env_globs) do
    if glob.match(entry.thing, name) then judge(entry) end
  end
  if refusal then
    out.reason = refusal.authority and 'it leads to the authority ' .. refusal.authority
      or 'refused by name'
    out.from, out.why = refusal.from, refusal.why
    out.authority, out.final = refusal.authority, refusal.final
  elseif set then
    out.verdict, out.value, out.reason, out.from = 'set', set.value, 'set by the policy', set.from
  elseif allow then
    local value = resolved.facts.env[name]
    out.reason, out.from = 'allowed', allow.from
    if value then
      out.verdict, out.value = 'passed', value
    else
      out.reason, out.is_allowed = 'allowed, but not set outside', true
    end
  else
    out.reason = 'nothing passes by default'
  end
  return out
end

return M
