-- Other names of one file by other mounts of its file system: refused under one is under all.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'

local M = {}

local NONE = {}

--- Mounts that share a file system with another mount, by device.
local function shared(mounts)
  local by_dev, out = {}, {}
  for _, mount in ipairs(mounts) do
    by_dev[mount.dev] = by_dev[mount.dev] or {}
    table.insert(by_dev[mount.dev], mount)
  end
  for dev, list in pairs(by_dev) do
    if #list > 1 then out[dev] = list end
  end
  return out
end

local function rest_below(where, folder)
  return folder == '/' and where or where:sub(#folder + 1)
end

local function join(folder, rest)
  if rest == '' or rest == '/' then return folder end
  return folder == '/' and rest or folder .. rest
end

--- Finds the mount that shows a path: from the root down, at each name the mounts that lie on it.
-- One that another covers shows nowhere.
-- @param mounts list as core.mounts.list gives it
-- @return function(path) -> mount
local function shower(mounts)
  local by_id, on = {}, {}
  for _, mount in ipairs(mounts) do by_id[mount.id] = mount end
  local root
  for _, mount in ipairs(mounts) do
    local parent = mount.parent ~= mount.id and by_id[mount.parent] and mount.parent
    if parent then
      on[parent] = on[parent] or {}
      on[parent][mount.path] = mount
    elseif mount.path == '/' then
      root = mount
    end
  end
  local function top(mount, where)
    while mount and on[mount.id] and on[mount.id][where] do mount = on[mount.id][where] end
    return mount
  end
  local known = { ['/'] = top(root, '/') }
  local function mount_of(where)
    if not known[where] then
      local folder = path.split(where)
      known[where] = top(folder and mount_of(folder), where)
    end
    return known[where]
  end
  return mount_of
end

local known_mounts = setmetatable({}, { __mode = 'k' })

--- What the mounts of a host are asked for, made once: those that share a device, and which shows a
-- path; nil where none share one.
local function mounts_of(mounts)
  local known = known_mounts[mounts]
  if known == nil then
    local by_dev = shared(mounts)
    known = next(by_dev) ~= nil and { by_dev = by_dev, mount_of = shower(mounts) }
    known_mounts[mounts] = known
  end
  return known or nil
end

--- Where a path lies within the file system of the mount that shows it.
local function inner_of(mount, where)
  return join(mount.root, rest_below(where, mount.path))
end

--- Finds the other names of canonical paths.
-- @param mounts list as core.mounts.list gives it ({ id, parent, dev, root, path }); what was made
--   of it is remembered
-- @return function(path) -> list of other paths at which the same file is seen; not to be changed
function M.finder(mounts)
  local known = mounts_of(mounts)
  if not known then return function() return NONE end end
  return function(where)
    local mount = known.mount_of(where)
    local same = mount and known.by_dev[mount.dev]
    if not same then return NONE end
    local out, inner = {}, inner_of(mount, where)
    for _, other in ipairs(same) do
      if other ~= mount and path.within(inner, other.root) then
        local alias = join(other.path, rest_below(inner, other.root))
        if alias ~= where and known.mount_of(alias) == other then out[#out + 1] = alias end
      end
    end
    return out
  end
end

--- Is a part of a home seen at another place, too, or the home by a name that no pattern can hold?
-- What would come to it there is no name of the home.
-- @param facts with mounts and home_folders
function M.shows_part(facts)
  local known, others = mounts_of(facts.mounts), M.finder(facts.mounts)
  for _, home in ipairs(known and facts.home_folders or NONE) do
    local mount = known.mount_of(home)
    local inner = mount and inner_of(mount, home)
    for _, other in ipairs(mount and known.by_dev[mount.dev] or NONE) do
      if path.below(other.root, inner) and known.mount_of(other.path) == other
        and other.path ~= join(home, rest_below(other.root, inner)) then
        return true
      end
    end
    for _, alias in ipairs(others(home)) do
      if glob.is_glob(alias) then return true end
    end
  end
  return false
end

--- The look of the same file under another name; of what is absent both end in what is not there.
local function moved(look, where)
  local out = {}
  for key, value in pairs(look) do out[key] = value end
  out.path, out.links = where, nil
  if look.exists_to then
    local rest = look.exists_to == '/' and look.path or look.path:sub(#look.exists_to + 1)
    local above = where:sub(1, #where - #rest)
    out.exists_to = above == '' and '/' or above
  end
  return out
end

--- Excepts what a refusal excepts under its other names, too.
local function except(resolved, others)
  for _, carves in pairs(resolved.excepts) do
    for i = 1, #carves do
      for _, alias in ipairs(others(carves[i])) do
        carves[#carves + 1] = alias
        resolved.carved[alias] = moved(resolved.carved[carves[i]], alias)
      end
    end
  end
end

--- Refuses the absent names of built-in records in the other names of their folders.
local function refuse_absent(resolved, others)
  for i = 1, #resolved.absent do
    local group = resolved.absent[i]
    for _, alias in ipairs(others(group.look.path)) do
      table.insert(resolved.absent, { look = moved(group.look, alias), names = group.names })
    end
  end
end

--- Refuses what is refused or protected by name under its other names, too. What is known by
-- another name only when the view is drawn (live sockets) has them there.
-- @param resolved to its names come the others; its `aliased` tells up to which that was done, nil
--   before the first time
function M.refuse(resolved)
  local others, names = M.finder(resolved.facts.mounts), resolved.names
  local first, last = (resolved.aliased or 0) + 1, #names
  if not resolved.aliased then
    except(resolved, others)
    refuse_absent(resolved, others)
  end
  for i = first, last do
    local name = names[i]
    if name.look.type ~= 'link' then
      for _, alias in ipairs(others(name.path)) do
        resolve.add_name(resolved, name.entry, moved(name.look, alias))
      end
    end
  end
  resolved.aliased = #names
end

return M
