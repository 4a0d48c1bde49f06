-- The view that the command gets: shadows, masks, binds and protections, in the order of making.

local emptied = require 'confine.pipeline.emptied'
local endpoints = require 'confine.pipeline.endpoints'
local path = require 'confine.values.path'
local places = require 'confine.pipeline.places'
local protected = require 'confine.pipeline.protected'
local record = require 'confine.pipeline.record'
local refused = require 'confine.pipeline.refused'
local resolve = require 'confine.pipeline.resolve'
local shadows = require 'confine.pipeline.shadows'
local survey = require 'confine.pipeline.survey'
local unlisted = require 'confine.pipeline.unlisted'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Off-list sockets that are put back one by one into a private folder such as /tmp.
M.SOCKET_BUDGET = 64

--- The folder that keeps what is written to a private place of this work tree (`keep = true`): a
-- name that a person can read, and a sum that makes it unique (FNV-1a, 64 bits).
function M.layer(facts, where)
  local whole = facts.root .. '\0' .. where
  local sum = -0x340d631b7bdddcdb
  for i = 1, #whole do sum = (sum ~ whole:byte(i)) * 0x100000001b3 end
  local name = where:gsub('[^%w]+', '-'):sub(-60)
  return ('%s/layers/%s-%016x'):format(facts.state, name:gsub('^%-', ''), sum)
end

--- The folders whose entries the plan must know, sorted.
-- @param resolved resolved policy; its sketch is remembered for M.draw
-- @return list of canonical paths
function M.folders(resolved)
  local out = {}
  resolved.sketch = refused.sketch(resolved)
  for folder, wanted in pairs(resolved.sketch.folders) do
    local is_needed = not wanted.mask or wanted.is_listed
      or unlisted.is_closed(resolved, resolved.sketch, folder)
    if not wanted.empty and is_needed then out[#out + 1] = folder end
  end
  table.sort(out)
  return out
end

--- Marks the hidden folders of which something stays visible: each needs a folder of its own.
local function mark_shown(drawn, resolved)
  local carved = {}
  local function carve(where)
    local at = path.split(where)
    while at do
      carved[at] = true
      at = path.split(at)
    end
  end
  for _, item in ipairs(drawn.grants) do carve(item.path) end
  for _, carves in pairs(resolved.excepts) do
    for _, where in ipairs(carves) do carve(where) end
  end
  for _, name in ipairs(drawn.names) do
    name.is_shown = name.type == 'dir' and name.verb == 'hide' and carved[name.path]
      and name.treatment.how ~= 'nothing'
  end
end

--- Those folders: empty, only to be passed through; and what lies in the root itself, covered where
-- it stands.
local function mask_ops(plan_ops, drawn)
  for _, name in ipairs(drawn.names) do
    local is_covered = name.treatment.how == 'cover'
    if name.is_shown or (is_covered and name.type == 'dir' and name.verb == 'hide') then
      plan_ops[#plan_ops + 1] = { op = 'shadow', path = name.path, by = 'tmpfs', others = 'none',
        mode = name.is_shown and '0111' or '0000', from = name.from, why = name.why,
        entries = {} }
    elseif is_covered then
      plan_ops[#plan_ops + 1] = { op = 'hide', path = name.path, type = name.type,
        from = name.from, why = name.why }
    end
  end
end

--- What an exception shows, by its verdict: how it is bound back.
local SHOWN = { readable = 'ro', protected = 'ro', writable = 'rw' }

--- Binds of what is granted: writable, private and again readable places.
local function grant_ops(plan_ops, drawn, resolved)
  local is_made = {}
  for _, item in ipairs(drawn.absent) do is_made[item.path] = true end
  for _, item in ipairs(drawn.grants) do
    local judged = verdict.file(resolved, item.path)
    local exists = item.look.type ~= 'absent' and item.look.type ~= 'unknown'
      and verdict.shows(resolved, item.path, item.look)
    -- What was only hidden by its own name needs no bind, but where it would be writable.
    local is_shown = judged.lifted and exists
      and (drawn.area_of(item.path) or places.is_below_hidden(resolved, item.path))
    if item.verb == 'write' and judged.verdict == 'writable' and exists then
      plan_ops[#plan_ops + 1] = { op = 'bind', path = item.path, access = 'rw',
        type = item.look.type, from = item.grant.from }
    elseif item.verb == 'private' and item.is_made then
      if not item.grant.empty and (exists or is_made[item.path]) then
        plan_ops[#plan_ops + 1] = { op = 'private', path = item.path,
          layer = item.grant.keep and M.layer(resolved.facts, item.path) or nil,
          absent = not exists or nil, from = item.grant.from }
      end
    elseif is_shown and (judged.verdict == 'readable' or judged.verdict == 'protected') then
      plan_ops[#plan_ops + 1] = { op = 'bind', path = item.path, access = 'ro',
        type = item.look.type, from = item.grant.from }
    end
  end
  -- What an `except` of a hidden or protected folder leaves is bound back into its mask.
  for entry, carves in pairs(resolved.excepts) do
    for _, carve in ipairs(carves) do
      local access = SHOWN[verdict.file(resolved, carve).verdict]
      local look = resolved.carved[carve]
      if access and places.is_put_back(resolved, carve)
        and verdict.shows(resolved, carve, look) then
        plan_ops[#plan_ops + 1] = { op = 'bind', path = carve, access = access,
          type = look.type == 'absent' and 'dir' or look.type,
          from = entry.from }
      end
    end
  end
end

--- The sockets of a granted authority on this host: those of the environment, of its record, of its
-- daemons, in this order. Where the environment leads to no socket, none of the others is meant.
-- @return list of looks
local function sockets_of(resolved, name, facts)
  local out = {}
  local function add(look)
    if look and look.type == 'socket'
      and verdict.socket(resolved, look.path, look).verdict == 'reachable' then
      out[#out + 1] = look
    end
  end
  local is_elsewhere = false
  for _, endpoint in ipairs(facts.endpoints or {}) do
    if endpoint.authority == name and not endpoint.untrusted then
      add(endpoint.look)
      is_elsewhere = is_elsewhere or endpoints.is_no_socket(endpoint)
    end
  end
  if #out > 0 or is_elsewhere then return { out[1] } end
  for thing in record.things(resolved.policy.authorities[name], 'sockets', true) do
    for _, look in ipairs(survey.names(thing, facts)) do add(look) end
  end
  for _, item in ipairs(resolved.owned) do
    if item.authority == name and not item.untrusted then
      add(survey.names(item.thing, facts)[1])
    end
  end
  return out
end

--- The canonical socket that a granted authority exposes: what the environment resolves to, else
-- the first live one of its record or its daemons, else the first that is there.
local function granted_sockets(resolved, facts)
  local out, is_live = {}, {}
  if next(resolved.authorities) then
    for _, socket in ipairs(facts.sockets) do
      if socket.dev then is_live[resolve.identity(socket)] = true end
    end
  end
  for name, grant in pairs(resolved.authorities) do
    local list = sockets_of(resolved, name, facts)
    local pick = list[1]
    for i = #list, 1, -1 do
      if is_live[resolve.identity(list[i])] then pick = list[i] end
    end
    if pick then out[#out + 1] = { path = pick.path, authority = name, from = grant.from } end
  end
  table.sort(out, function(a, b) return a.path < b.path end)
  return out
end
M.granted_sockets = granted_sockets

--- Sockets that must be put back into private or hidden folders: granted ones, and off-list ones
-- in /tmp.
local function socket_ops(plan_ops, resolved, late)
  local facts, seen, kept = resolved.facts, {}, 0
  local function put(where, from, why)
    if not seen[where] then
      seen[where] = true
      plan_ops[#plan_ops + 1] = { op = 'bind', path = where, access = 'ro', type = 'socket',
        from = from, why = why }
    end
  end
  for _, item in ipairs(granted_sockets(resolved, facts)) do
    put(item.path, item.from, 'granted: ' .. item.authority)
  end
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      if item.grant.noun == 'socket' and item.look.type == 'socket'
        and verdict.socket(resolved, where, item.look).verdict == 'reachable' then
        put(where, item.grant.from, 'granted')
      end
    end
  end
  for _, socket in ipairs(facts.kept_sockets) do
    local judged = not seen[socket.path] and verdict.socket(resolved, socket.path, socket)
    if judged and judged.verdict == 'reachable' then
      kept = kept + 1
      if kept <= M.SOCKET_BUDGET then
        put(socket.path, judged.from, 'off-list')
      else
        late[#late + 1] = { path = socket.path, missing = true,
          why = 'more off-list sockets lie here than are put back' }
      end
    end
  end
end

--- Is a path in a private place of this policy? Sockets that live there must be put back: there is
-- nothing in an empty one, and none can be connected through an overlay.
-- @param resolved resolved policy
-- @return function(path) -> boolean
function M.private_places(resolved)
  local area_of = places.areas(places.grants(resolved))
  return function(where)
    local area = area_of(where)
    return area ~= nil and area.verb == 'private'
  end
end

local RANK = { shadow = 1, private = 2, hide = 3, bind = 4, mask = 5, protect = 6, skeleton = 7 }

--- A mask covers names in what stands at its folder by then.
local function rank(op)
  return op.by == 'mask' and RANK.mask or RANK[op.op]
end

--- At one path shadows, then private places, covers, binds, masks and protections.
local function tie(a, b)
  local first, second = rank(a), rank(b)
  if first ~= second then return first < second end
  return (a.from or '') < (b.from or '')
end

--- One operation for one thing, however many lines of the policy ask for it. Two shadows of one
-- folder would be two views of it: that must not come so far.
local function without_repeats(ops)
  local out = {}
  for _, op in ipairs(ops) do
    local last = out[#out]
    if not (last and last.path == op.path and last.op == op.op) then
      out[#out + 1] = op
    elseif op.op == 'shadow' then
      error('two shadows of ' .. op.path)
    end
  end
  return out
end

--- Draws the view.
-- @param resolved resolved policy whose facts hold the listings of M.folders
-- @return list of view operations in order, and the list of names that an executor must refuse when
--   they come later but cannot be refused in advance: { path, from, why }
function M.draw(resolved)
  local drawn, ops, late = resolved.sketch or refused.sketch(resolved), {}, {}
  mark_shown(drawn, resolved)
  shadows.draw(ops, drawn, resolved)
  mask_ops(ops, drawn)
  grant_ops(ops, drawn, resolved)
  protected.draw(ops, drawn, resolved)
  socket_ops(ops, resolved, late)
  path.sort(ops, tie)
  path.sort(late)
  ops = without_repeats(ops)
  emptied.seat(ops, resolved)
  return ops, late
end

return M
