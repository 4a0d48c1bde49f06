-- The view that the command gets: which folders are shadowed, what is kept, hidden and bound, in order.
-- A mask on one file is dropped when the host renames over it, so a refused name is refused through
-- its folder: the folder and its ancestors down from a stable base become private (DESIGN: shadows).

local path = require 'confine.values.path'
local record = require 'confine.pipeline.record'
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

local function is_area(item)
  return item.verb == 'write' or item.verb == 'private'
end

--- The writable and private places, to be found by the paths in them.
-- @return function(path) -> the grant of the nearest place at or above it, or nil
local function areas(grants)
  local by_path, known = {}, {}
  for _, item in ipairs(grants) do
    if is_area(item) and not by_path[item.path] then by_path[item.path] = item end
  end
  local function nearest(where)
    local found = known[where]
    if found == nil then
      local parent = path.split(where)
      found = by_path[where] or (parent and nearest(parent)) or false
      known[where] = found
    end
    return found
  end
  return function(where) return nearest(where) or nil end
end

--- Private places that are absent on the host need a folder to be mounted on.
local function private_absent(resolved, grants)
  local out = {}
  for _, item in ipairs(grants) do
    if item.verb == 'private' and not item.grant.empty and item.look.type == 'absent'
      and verdict.file(resolved, item.path).verdict == 'private' then out[#out + 1] = item end
  end
  return out
end

--- The folders that are made in the view for them, as a set.
local function made_folders(absent)
  local made = {}
  for _, item in ipairs(absent) do
    for _, folder in ipairs(path.between(item.look.exists_to or '/', item.path)) do made[folder] = true end
    made[item.path] = true
  end
  return made
end

--- Every refused or hidden name, once, sorted so that a folder comes before what it holds, without
-- names below another hidden name. An absent name below an absent folder stands for that folder.
local function refused_names(resolved, made)
  local by_path, paths = {}, {}
  local function note(where, kind, verb, judged)
    local known = by_path[where]
    if not known then
      known = { path = where, type = kind, verb = verb, from = judged.from, why = judged.why,
        authority = judged.authority }
      by_path[where] = known
      paths[#paths + 1] = where
    elseif verb == 'hide' and known.verb ~= 'hide' or (verb == known.verb and judged.from < known.from) then
      known.verb, known.from, known.why, known.authority = verb, judged.from, judged.why, judged.authority
    end
  end
  for _, name in ipairs(resolved.names) do
    local where, look, entry = name.path, name.look, name.entry
    local kind = look.type
    if entry.verb == 'hide' and kind ~= 'unknown' then
      local judged = verdict.surely_held(resolved, entry, where) and entry or verdict.file(resolved, where)
      if judged == entry or judged.verdict == 'hidden' then
        note(kind == 'absent' and M.missing_folder(look, made) or where, kind, 'hide', judged)
      end
    elseif entry.noun == 'socket' then
      local judged = entry
      if not entry.final and (resolved.grants_sockets or resolved.authorities[entry.authority]) then
        judged = verdict.socket(resolved, where, kind == 'socket' and look or nil)
      end
      if judged == entry or judged.verdict == 'refused' then
        note(kind == 'absent' and M.missing_folder(look, made) or where, kind, 'refuse', judged)
      end
    end
  end
  for _, item in ipairs(resolved.absent) do
    note(M.missing_folder(item.look, made), 'absent', item.verb, item)
  end
  for _, socket in ipairs(resolved.facts.sockets) do
    local where = socket.path
    if where and not by_path[where] and where:byte(1) == 47 then
      local judged = verdict.socket(resolved, where, socket)
      if judged.verdict == 'refused' then note(where, 'socket', 'refuse', judged) end
    end
  end
  path.sort(paths)
  local out, above = {}, nil
  for _, where in ipairs(paths) do
    local name = by_path[where]
    if not (above and path.below(where, above)) then
      out[#out + 1] = name
      if name.verb == 'hide' or name.type == 'absent' then above = where end
    end
  end
  return out
end

--- The topmost missing part of an absent path: while it is not there, nothing below it is.
-- @param look { path, exists_to = the deepest folder that exists }
-- @param made set of absent folders that the view makes
function M.missing_folder(look, made)
  local where, base = look.path, look.exists_to
  if not base or not path.below(where, base) then return where end
  local from = base == '/' and 2 or #base + 2
  while true do
    local stop = where:find('/', from, true)
    if not stop then return where end
    local folder = where:sub(1, stop - 1)
    if not made[folder] then return folder end
    from = stop + 1
  end
end

--- Where a name is refused: { how = 'shadow', base, folders }: in its private folder; 'mask': where it
-- stands; 'late': absent and in no shadow; 'nothing': it lies in an empty private place.
local function treatment(name, area_of, base_list, memo)
  local parent = path.split(name.path)
  local place = memo[parent]
  if not place then
    place = { area = area_of(parent) }
    for _, item in ipairs(base_list) do
      if path.within(parent, item.path) then
        place.base = item.path
        break
      end
    end
    memo[parent] = place
  end
  local area, base = place.area, place.base
  if area and area.grant.empty and (not base or #area.path >= #base) then
    -- Nothing of the host's is there; a live socket still gets an entry that answers.
    return { how = name.type == 'socket' and 'mask' or 'nothing' }
  end
  if base and not (area and #area.path >= #base) then
    if not place.folders then
      place.folders = path.between(base, name.path)
      table.insert(place.folders, 1, base)
    end
    return { how = 'shadow', base = base, folders = place.folders }
  end
  -- A link cannot be masked, and need not be: what it leads to is.
  if name.type == 'link' then return { how = 'nothing' } end
  return { how = name.type == 'absent' and 'late' or 'mask' }
end

--- What is decided before folders are listed: names, treatments and folders to shadow.
local function sketch(resolved)
  local grants, base_list = file_grants(resolved), bases(resolved.facts)
  local area_of = areas(grants)
  local absent = private_absent(resolved, grants)
  local made = made_folders(absent)
  local folders, names, memo = {}, refused_names(resolved, made), {}
  local function want(list, base)
    for _, folder in ipairs(list) do folders[folder] = base end
  end
  for _, name in ipairs(names) do
    name.treatment = treatment(name, area_of, base_list, memo)
    if name.treatment.how == 'shadow' then want(name.treatment.folders, name.treatment.base) end
  end
  for _, item in ipairs(absent) do
    local where = treatment({ path = item.path, type = 'absent' }, areas {}, base_list, {})
    if where.how == 'shadow' then want(where.folders, where.base) end
  end
  return { grants = grants, absent = absent, area_of = area_of, names = names, folders = folders }
end

--- The folders whose entries the plan must know, sorted.
-- @param resolved resolved policy
-- @return list of canonical paths
function M.folders(resolved)
  local out = {}
  resolved.sketch = sketch(resolved)
  for folder in pairs(resolved.sketch.folders) do out[#out + 1] = folder end
  table.sort(out)
  return out
end

--- The entries of one shadowed folder.
-- @param children map name -> 'dir' of what is made there for deeper operations
-- @param names list of the refused names in it
local function entries_of(listing, children, names)
  local out, seen = {}, {}
  for _, name in ipairs(names) do
    local _, base = path.split(name.path)
    -- A hidden folder with something visible in it needs a folder of its own.
    if not children[base] then
      seen[base] = true
      out[#out + 1] = { name = base, as = name.verb == 'refuse' and 'inert' or 'absent', type = name.type,
        from = name.from, why = name.why }
    end
  end
  for _, item in ipairs(listing or {}) do
    local base = item.name
    if not seen[base] and not children[base] then
      out[#out + 1] = { name = base, as = item.type == 'link' and 'link' or 'keep', type = item.type, target = item.target }
    end
  end
  for base in pairs(children) do out[#out + 1] = { name = base, as = 'dir', type = 'dir' } end
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

--- Shadows: one operation a folder. Over the budget a whole base is overlaid.
local function shadow_ops(plan_ops, drawn, facts)
  local by_parent, children, kept, ops = {}, {}, {}, {}
  local function list_in(map, key)
    map[key] = map[key] or {}
    return map[key]
  end
  for _, name in ipairs(drawn.names) do
    if name.treatment.how == 'shadow' then
      local parent = path.split(name.path)
      table.insert(list_in(by_parent, parent), name)
    end
  end
  local function make(where)
    local parent, base = path.split(where)
    list_in(children, parent)[base] = 'dir'
  end
  for folder in pairs(drawn.folders) do make(folder) end
  for _, item in ipairs(drawn.absent) do make(item.path) end
  for folder, base in pairs(drawn.folders) do
    local op = { op = 'shadow', path = folder, by = 'tmpfs', base = base, mode = '0755',
      entries = entries_of(facts.folders[folder], children[folder] or {}, by_parent[folder] or {}),
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
  for _, carves in pairs(resolved.excepts) do
    for _, carve in ipairs(carves) do
      local at = path.split(carve)
      while at do
        carved[at] = true
        at = path.split(at)
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
    for _, entry in ipairs(resolved.files[name.path] or {}) do
      for _, carve in ipairs(resolved.excepts[entry] or {}) do
        local judged = verdict.file(resolved, carve)
        if path.below(carve, name.path) and not seen[carve] and judged.verdict == 'readable' then
          seen[carve] = true
          plan_ops[#plan_ops + 1] = { op = 'bind', path = carve, access = 'ro', type = 'dir', from = entry.from }
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
    if name.entry.verb == 'protect' and not seen[where] and drawn.area_of(where)
      and verdict.file(resolved, where).verdict == 'protected' then
      seen[where] = true
      local area = drawn.area_of(where)
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
    for thing in record.things(resolved.policy.authorities[name], 'sockets') do
      if pick then break end
      for _, look in ipairs(survey.names(thing, facts)) do
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
  local area_of = areas(file_grants(resolved))
  return function(where)
    local area = area_of(where)
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
  local drawn, ops, late = resolved.sketch or sketch(resolved), {}, {}
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
