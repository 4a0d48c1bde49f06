-- Shadowed folders: what stays, what is refused now and later, by which construction.

local path = require 'confine.values.path'
local unlisted = require 'confine.pipeline.unlisted'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Kept siblings cost a mount each, and bwrap's time grows with the square of the mounts
-- (measured: 100 mounts 21 ms, 1,000 mounts 88 ms). Above this many below one base the folders are
-- overlaid, which costs one mount at any size.
M.MOUNT_BUDGET = 100

--- Sorts names that mostly are in order already.
local function sort(names)
  for i = 2, #names do
    if names[i] < names[i - 1] then return table.sort(names) end
  end
end

--- The entries of one shadowed folder, sorted by name; stars last.
-- @param listing what is in it on the host
-- @param children set of names that deeper operations need as folders
-- @param names list of the refused names in it
-- @param patterns list of entries for what comes later
-- @param is_listed boolean: a star may match names as a whole, since what is there is listed
-- @param spared names that the policy shows, though a star may match them; optional
-- @param closed the refusal of sockets and FIFOs that no list names, nil where they are reachable:
--   function(name) -> { from, why }, or nil for a socket that is reachable
local function entries_of(listing, children, names, patterns, is_listed, spared, closed)
  local by_name, order = {}, {}
  local function add(entry)
    by_name[entry.name] = entry
    order[#order + 1] = entry.name
  end
  for base in pairs(children) do add { name = base, as = 'dir', type = 'dir' } end
  for _, name in ipairs(names) do
    local _, base = path.split(name.path)
    -- A hidden folder with something visible in it has a folder of its own already.
    if not by_name[base] then
      -- What is not there needs no node that answers for it.
      local as = name.verb == 'refuse' and name.type ~= 'absent' and 'inert' or 'absent'
      add { name = base, type = name.type, from = name.from, why = name.why, as = as }
    end
  end
  for _, item in ipairs(listing) do
    if not by_name[item.name] then
      -- A FIFO can be written to on a read-only mount, as a socket can.
      local judged = closed and (item.type == 'socket' or item.type == 'fifo') and closed(item.name)
      add { name = item.name, type = item.type, target = item.target,
        as = judged and 'inert' or item.type == 'link' and 'link' or 'keep',
        from = judged and judged.from or nil, why = judged and judged.why or nil }
    end
  end
  for base, kind in pairs(#patterns > 0 and spared or {}) do
    if not by_name[base] then add { name = base, type = kind, as = 'keep' } end
  end
  sort(order)
  local out = {}
  for i, name in ipairs(order) do out[i] = by_name[name] end
  for _, entry in ipairs(patterns) do
    if entry.is_last or is_listed then out[#out + 1] = entry end
  end
  return out
end

local function count_kept(entries)
  local n = 0
  for _, entry in ipairs(entries) do
    if entry.as == 'keep' then n = n + 1 end
  end
  return n
end

local function list_in(map, key)
  map[key] = map[key] or {}
  return map[key]
end

--- What grants and exceptions name and show, by its folder and name; of granted sockets each name.
local function spared_names(drawn, resolved)
  local out = {}
  local function spare(where, look)
    local parent, base = path.split(where)
    if parent and look.type ~= 'absent' and verdict.shows(resolved, where, look) then
      list_in(out, parent)[base] = look.type
    end
  end
  for _, item in ipairs(drawn.grants) do spare(item.path, item.look) end
  for where, look in pairs(resolved.carved) do spare(where, look) end
  for _, name in ipairs(resolved.grants_sockets and resolved.names or {}) do
    if name.look.type == 'socket' then spare(name.path, name.look) end
  end
  return out
end

--- Adds the shadows of a run: one operation a folder.
-- @param ops list to append to
-- @param drawn from pipeline.refused
-- @param resolved resolved policy whose facts hold the folders' listings
function M.draw(ops, drawn, resolved)
  local refused, children, kept, mine, is_absent = {}, {}, {}, {}, {}
  local spared = spared_names(drawn, resolved)
  for _, name in ipairs(drawn.names) do
    is_absent[name.path] = name.type == 'absent'
    if name.treatment.how ~= 'nothing' then
      table.insert(list_in(refused, (path.split(name.path))), name)
    end
  end
  local function make(where)
    local parent, base = path.split(where)
    list_in(children, parent)[base] = true
  end
  for folder in pairs(drawn.folders) do make(folder) end
  -- A keeper would cover what the folder of its own shows.
  for _, name in ipairs(drawn.names) do
    if name.is_shown then make(name.path) end
  end
  for _, item in ipairs(drawn.absent) do make(item.path) end
  -- What has a mount of its own is no sibling to keep: the keeper would put the host's over it.
  for _, item in ipairs(drawn.grants) do
    if item.is_made and item.look.type == 'dir' and item.path ~= '/' then make(item.path) end
  end
  for folder, wanted in pairs(drawn.folders) do
    local listing, closed = resolved.facts.folders[folder], unlisted.judge(resolved, drawn, folder)
    local is_listed = not wanted.empty and (not wanted.mask or wanted.is_listed and listing)
    local op = { op = 'shadow', path = folder, by = wanted.mask and 'mask' or 'tmpfs',
      -- In an empty private place it is the command's own, as tmux wants its folder.
      base = wanted.base, mode = wanted.empty and '0700' or '0755', writable = wanted.empty,
      -- A refused folder that is only made for a private place shows nothing else, also later. A
      -- mask makes none: its folder was there when it was asked for first.
      others = (wanted.empty or (is_absent[folder] and not wanted.mask)) and 'none'
        or closed and 'files' or 'keep',
      entries = entries_of((is_listed or closed) and listing or {}, children[folder] or {},
        refused[folder] or {}, drawn.stars[folder] or {}, is_listed,
        wanted.mask and spared[folder], closed),
      missing = wanted.absent, why = 'names in it are refused, also when they come later' }
    kept[wanted.base] = (kept[wanted.base] or 0) + count_kept(op.entries)
    mine[#mine + 1] = op
  end
  for _, item in ipairs(drawn.empties) do
    mine[#mine + 1] = { op = 'shadow', path = item.path, by = 'tmpfs', base = item.path,
      mode = '1777', others = 'none', writable = true, from = item.grant.from,
      why = 'private and empty',
      entries = entries_of({}, children[item.path] or {}, refused[item.path] or {}, {}) }
  end
  for _, op in ipairs(mine) do
    -- No socket can be connected through an overlay, so folders full of sockets stay a tmpfs; and
    -- what shows nothing of the host's has nothing to lay it over.
    if op.by == 'tmpfs' and (kept[op.base] or 0) > M.MOUNT_BUDGET and op.others ~= 'none'
      and not resolved.facts.is_volatile[op.base] then
      op.by = 'overlay'
    end
    ops[#ops + 1] = op
  end
end

return M
