-- The view that the command gets: which folders are shadowed, what is kept, hidden and bound, in order.
-- A mask on one file is dropped when the host renames over it, so a refused name is refused through
-- its folder: the folder and its ancestors down from a stable base become private (DESIGN: shadows).

local path = require 'confine.values.path'
local survey = require 'confine.pipeline.survey'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Kept siblings cost a mount each, and bwrap's time grows with the square of the mounts
-- (measured: 100 mounts 21 ms, 1,000 mounts 88 ms). Above this many a folder is overlaid.
M.MOUNT_BUDGET = 300

--- Off-list sockets that are put back one by one into a private folder such as /tmp.
M.SOCKET_BUDGET = 64

--- Stable folders below which names come and go: shadows start there. The longest comes first.
local function bases(facts)
  local out = {}
  for _, dir in ipairs(facts.volatile) do out[#out + 1] = { path = dir, kind = 'volatile' } end
  for _, dir in ipairs(facts.home_folders) do out[#out + 1] = { path = dir, kind = 'home' } end
  table.sort(out, function(a, b) return #a.path > #b.path end)
  return out
end

--- Grants of files by canonical path, deepest first: what is writable, private, readable again.
local function file_grants(resolved)
  local out = {}
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      if item.grant.noun == 'file' then
        out[#out + 1] = { path = where, verb = item.grant.verb, grant = item.grant, look = item.look }
      end
    end
  end
  local order = { write = 1, private = 2, read = 3 }
  return path.sort(out, function(a, b)
    if a.verb ~= b.verb then return order[a.verb] < order[b.verb] end
    return a.grant.from < b.grant.from
  end)
end

--- The nearest grant at or above a path among some, by depth.
local function nearest(grants, where, wanted)
  local best
  for _, item in ipairs(grants) do
    if wanted(item) and path.within(where, item.path) and (not best or #item.path >= #best.path) then best = item end
  end
  return best
end

local function is_area(item)
  return item.verb == 'write' or item.verb == 'private'
end

--- Every refused or hidden name, once, sorted so that a folder comes before what it holds, without
-- names below another hidden name.
local function refused_names(resolved)
  local by_path = {}
  local function note(where, look, verb, judged)
    local known = by_path[where]
    if not known or (verb == 'hide' and known.verb ~= 'hide') then
      by_path[where] = { path = where, type = look and look.type or 'absent', verb = verb, from = judged.from,
        why = judged.why, reason = judged.reason, authority = judged.authority }
    end
  end
  for _, name in ipairs(resolved.names) do
    local where, look = name.path, name.look
    if name.entry.verb == 'hide' and look.type ~= 'unknown' then
      local judged = verdict.file(resolved, where)
      if judged.verdict == 'hidden' then note(where, look, 'hide', judged) end
    elseif name.entry.noun == 'socket' then
      local judged = verdict.socket(resolved, where, look)
      if judged.verdict == 'refused' then note(where, look, 'refuse', judged) end
    end
  end
  for _, socket in ipairs(resolved.facts.sockets) do
    if socket.path and not by_path[socket.path] and socket.path:sub(1, 1) == '/' then
      local judged = verdict.socket(resolved, socket.path, socket)
      if judged.verdict == 'refused' then note(socket.path, { type = 'socket' }, 'refuse', judged) end
    end
  end
  local paths = {}
  for where in pairs(by_path) do paths[#paths + 1] = where end
  path.sort(paths)
  local out, hidden = {}, {}
  for _, where in ipairs(paths) do
    local at, below = path.split(where), false
    while at and not below do
      below = hidden[at]
      at = path.split(at)
    end
    if not below then
      out[#out + 1] = by_path[where]
      if by_path[where].verb == 'hide' then hidden[where] = true end
    end
  end
  return out
end

--- Where a name is refused: { how = 'shadow', base, folders }: in its private folder; 'mask': where it
-- stands; 'late': absent and in no shadow; 'nothing': it lies in an empty private place.
local function treatment(name, grants, base_list)
  local area = nearest(grants, name.path, is_area)
  local base
  for _, item in ipairs(base_list) do
    if path.below(name.path, item.path) then
      base = item
      break
    end
  end
  if area and area.verb == 'private' and area.grant.empty and (not base or #area.path >= #base.path) then
    -- Nothing of the host's is there; a live socket still gets an entry that answers.
    return { how = name.type == 'socket' and 'mask' or 'nothing' }
  end
  if area and (not base or #area.path >= #base.path) then
    return { how = name.type == 'absent' and 'late' or 'mask' }
  end
  if base then
    local folders = path.between(base.path, name.path)
    table.insert(folders, 1, base.path)
    return { how = 'shadow', base = base.path, folders = folders }
  end
  return { how = name.type == 'absent' and 'late' or 'mask' }
end

--- Private places that are absent on the host need a folder to be mounted on.
local function private_absent(grants)
  local out = {}
  for _, item in ipairs(grants) do
    if item.verb == 'private' and not item.grant.empty and item.look.type == 'absent' then out[#out + 1] = item end
  end
  return out
end

--- What is decided before folders are listed: names, treatments and folders to shadow.
local function sketch(resolved)
  local grants, base_list = file_grants(resolved), bases(resolved.facts)
  local folders, names = {}, refused_names(resolved)
  local function want(list, base)
    for _, folder in ipairs(list) do folders[folder] = base end
  end
  for _, name in ipairs(names) do
    name.treatment = treatment(name, grants, base_list)
    if name.treatment.how == 'shadow' then want(name.treatment.folders, name.treatment.base) end
  end
  for _, item in ipairs(private_absent(grants)) do
    local where = treatment({ path = item.path, type = 'absent' }, {}, base_list)
    if where.how == 'shadow' then want(where.folders, where.base) end
  end
  return { grants = grants, names = names, folders = folders }
end

--- The folders whose entries the plan must know, sorted.
-- @param resolved resolved policy
-- @return list of canonical paths
function M.folders(resolved)
  local out = {}
  for folder in pairs(sketch(resolved).folders) do out[#out + 1] = folder end
  table.sort(out)
  return out
end

--- The entries of one shadowed folder.
local function entries_of(folder, listing, hidden, folders, made, links)
  local out, seen = {}, {}
  local function add(entry)
    if not seen[entry.name] then
      seen[entry.name] = true
      out[#out + 1] = entry
    end
  end
  for _, item in ipairs(listing or {}) do
    local where = path.join(folder, item.name)
    local name = hidden[where]
    if name then
      add { name = item.name, as = name.verb == 'refuse' and 'inert' or 'absent', type = item.type,
        from = name.from, why = name.why }
    elseif folders[where] or made[where] then
      add { name = item.name, as = 'dir', type = 'dir' }
    elseif item.type == 'link' then
      add { name = item.name, as = 'link', type = 'link', target = item.target }
    else
      add { name = item.name, as = 'keep', type = item.type }
    end
  end
  for _, name in ipairs(links[folder] or {}) do
    local _, base = path.split(name.path)
    add { name = base, as = name.verb == 'refuse' and 'inert' or 'absent', type = name.type,
      from = name.from, why = name.why }
  end
  for where in pairs(folders) do
    local parent, base = path.split(where)
    if parent == folder then add { name = base, as = 'dir', type = 'dir' } end
  end
  for where in pairs(made) do
    local parent, base = path.split(where)
    if parent == folder then add { name = base, as = 'dir', type = 'dir' } end
  end
  table.sort(out, function(a, b) return a.name < b.name end)
  return out
end

local function count_kept(entries)
  local n = 0
  for _, entry in ipairs(entries) do
    if entry.as == 'keep' then n = n + 1 end
  end
  return n
end

--- Shadows: one operation a folder. Over the budget a whole base is overlaid, its names nested.
local function shadow_ops(plan_ops, drawn, facts)
  local hidden, by_parent, made = {}, {}, {}
  for _, name in ipairs(drawn.names) do
    if name.treatment.how == 'shadow' then
      hidden[name.path] = name
      local parent = path.split(name.path)
      by_parent[parent] = by_parent[parent] or {}
      table.insert(by_parent[parent], name)
    end
  end
  for _, item in ipairs(private_absent(drawn.grants)) do made[item.path] = true end
  local kept, ops = {}, {}
  for folder, base in pairs(drawn.folders) do
    local op = { op = 'shadow', path = folder, by = 'tmpfs', base = base, mode = '0755',
      entries = entries_of(folder, facts.folders[folder], hidden, drawn.folders, made, by_parent),
      why = 'names in it are refused, also when they come later' }
    kept[base] = (kept[base] or 0) + count_kept(op.entries)
    ops[#ops + 1] = op
  end
  for _, op in ipairs(ops) do
    if kept[op.base] > M.MOUNT_BUDGET then op.by = 'overlay' end
    plan_ops[#plan_ops + 1] = op
  end
end

local function type_of(look)
  return look.type == 'dir' and 'dir' or look.type == 'absent' and 'absent' or 'file'
end

--- Hidden names that are masked where they stand, and folders whose hidden content has carve-outs.
local function mask_ops(plan_ops, drawn, resolved, late)
  local carved = {}
  for _, item in ipairs(drawn.grants) do
    local at = path.split(item.path)
    while at do
      carved[at] = true
      at = path.split(at)
    end
  end
  for _, items in pairs(resolved.files) do
    for _, item in ipairs(items) do
      for _, carve in ipairs(item.except) do
        local at = path.split(carve)
        while at do
          carved[at] = true
          at = path.split(at)
        end
      end
    end
  end
  for _, name in ipairs(drawn.names) do
    local how = name.treatment.how
    if name.type == 'dir' and name.verb == 'hide' and (how == 'mask' or (how == 'shadow' and carved[name.path])) then
      plan_ops[#plan_ops + 1] = { op = 'shadow', path = name.path, by = 'tmpfs', mode = carved[name.path] and '0111'
        or '0000', entries = {}, masks = true, from = name.from, why = name.why }
    elseif how == 'mask' then
      plan_ops[#plan_ops + 1] = { op = 'hide', path = name.path, type = name.type, from = name.from, why = name.why }
    elseif how == 'late' then
      late[#late + 1] = { path = name.path, from = name.from, why = name.why }
    end
  end
end

--- Binds of what is granted: writable, private and again readable places.
local function grant_ops(plan_ops, drawn, resolved)
  for _, item in ipairs(drawn.grants) do
    local judged = verdict.file(resolved, item.path)
    local exists = item.look.type ~= 'absent' and item.look.type ~= 'unknown'
    if item.verb == 'write' and (judged.verdict == 'writable') and exists then
      plan_ops[#plan_ops + 1] = { op = 'bind', path = item.path, access = 'rw', type = item.look.type,
        from = item.grant.from }
    elseif item.verb == 'private' and judged.verdict == 'private' then
      if item.grant.empty then
        plan_ops[#plan_ops + 1] = { op = 'shadow', path = item.path, by = 'tmpfs', mode = '1777', writable = true,
          entries = {}, from = item.grant.from, why = 'private and empty' }
      else
        plan_ops[#plan_ops + 1] = { op = 'private', path = item.path, keep = item.grant.keep or nil,
          absent = not exists or nil, from = item.grant.from }
      end
    elseif item.verb == 'read' and judged.lifted and exists then
      plan_ops[#plan_ops + 1] = { op = 'bind', path = item.path, access = 'ro', type = item.look.type,
        from = item.grant.from }
    end
  end
  -- What an `except` of a hidden folder leaves visible is bound back into its mask.
  local seen = {}
  for _, name in ipairs(drawn.names) do
    for _, item in ipairs(resolved.files[name.path] or {}) do
      for _, carve in ipairs(item.except) do
        local judged = verdict.file(resolved, carve)
        if path.below(carve, name.path) and not seen[carve] and judged.verdict == 'readable' then
          seen[carve] = true
          plan_ops[#plan_ops + 1] = { op = 'bind', path = carve, access = 'ro', type = 'dir', from = item.entry.from }
        end
      end
    end
  end
end

--- Protected names below a writable place: their ancestors are pinned, they are bound read-only.
local function protect_ops(plan_ops, drawn, resolved)
  local pinned, seen = {}, {}
  for _, name in ipairs(resolved.names) do
    local where = name.path
    if name.entry.verb == 'protect' and not seen[where] and verdict.file(resolved, where).verdict == 'protected' then
      seen[where] = true
      local area = nearest(drawn.grants, where, is_area)
      local absent = name.look.type == 'absent'
      if not absent then
        for _, folder in ipairs(path.between(area.path, where)) do
          if not pinned[folder] then
            pinned[folder] = true
            plan_ops[#plan_ops + 1] = { op = 'bind', path = folder, access = 'rw', type = 'dir', pin = true,
              from = name.entry.from, why = 'pinned: what is below it is protected' }
          end
        end
      end
      plan_ops[#plan_ops + 1] = { op = 'protect', path = where, type = type_of(name.look), from = name.entry.from,
        area = area.path, why = name.entry.why }
    end
  end
end

--- The canonical socket that a granted authority exposes: what the environment resolves to, else
-- the first live one of its record.
local function granted_sockets(resolved, facts)
  local out = {}
  for name, grant in pairs(resolved.authorities) do
    local pick
    for _, endpoint in ipairs(facts.endpoints or {}) do
      if endpoint.authority == name and endpoint.look and endpoint.look.type == 'socket' then
        pick = pick or { look = endpoint.look, variable = endpoint.variable }
      end
    end
    for _, item in ipairs(resolved.policy.authorities[name].sockets) do
      if pick then break end
      for _, look in ipairs(survey.names(item.thing, facts)) do
        if look.type == 'socket' then
          pick = pick or { look = look }
        end
      end
    end
    if pick and verdict.socket(resolved, pick.look.path, pick.look).verdict == 'reachable' then
      out[#out + 1] = { path = pick.look.path, authority = name, from = grant.from }
    end
  end
  table.sort(out, function(a, b) return a.path < b.path end)
  return out
end
M.granted_sockets = granted_sockets

--- Sockets that must be put back into private or hidden folders: granted ones, and off-list ones in /tmp.
local function socket_ops(plan_ops, drawn, resolved, late)
  local facts, seen, kept = resolved.facts, {}, 0
  local function put(where, from, why)
    if not seen[where] then
      seen[where] = true
      plan_ops[#plan_ops + 1] = { op = 'bind', path = where, access = 'ro', type = 'socket', from = from, why = why }
    end
  end
  for _, item in ipairs(granted_sockets(resolved, facts)) do put(item.path, item.from, 'granted: ' .. item.authority) end
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

--- Is a path in a private and empty place of this policy? What lives there must be put back.
-- @param resolved resolved policy
-- @return function(path) -> boolean
function M.private_places(resolved)
  local grants = file_grants(resolved)
  return function(where)
    local area = nearest(grants, where, is_area)
    return area ~= nil and area.grant.empty == true
  end
end

local RANK = { shadow = 1, private = 2, hide = 3, bind = 4, protect = 5 }

--- At one path shadows, then private places, masks, binds and protections.
local function tie(a, b)
  if a.op ~= b.op then return RANK[a.op] < RANK[b.op] end
  return (a.from or '') < (b.from or '')
end

--- One operation for one thing, however many lines of the policy ask for it.
local function without_repeats(ops)
  local out = {}
  for _, op in ipairs(ops) do
    local last = out[#out]
    if not (last and last.path == op.path and last.op == op.op) then out[#out + 1] = op end
  end
  return out
end

--- Draws the view.
-- @param resolved resolved policy whose facts hold the listings of M.folders
-- @return list of view operations in order, and the list of names that an executor must refuse when they
--   come later but cannot be refused in advance: { path, from, why }
function M.draw(resolved)
  local drawn, ops, late = sketch(resolved), {}, {}
  shadow_ops(ops, drawn, resolved.facts)
  mask_ops(ops, drawn, resolved, late)
  grant_ops(ops, drawn, resolved)
  protect_ops(ops, drawn, resolved)
  socket_ops(ops, drawn, resolved, late)
  path.sort(ops, tie)
  path.sort(late)
  return without_repeats(ops), late
end

return M
