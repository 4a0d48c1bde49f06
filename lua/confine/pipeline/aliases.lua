-- Other names of one file by other mounts of its file system: refused under one is under all.

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

--- Finds the other names of canonical paths.
-- @param mounts list as core.mounts.list gives it ({ dev, root, path }), in the order of mounting
-- @return function(path) -> list of other paths at which the same file is seen; not to be changed
function M.finder(mounts)
  local by_dev = shared(mounts)
  if next(by_dev) == nil then return function() return NONE end end
  local by_path, known = {}, {}
  for _, mount in ipairs(mounts) do by_path[mount.path] = mount end
  --- The mount that shows a path; what holds for a folder is found once.
  local function mount_of(where)
    if by_path[where] then return by_path[where] end
    local folder = path.split(where)
    if not folder then return nil end
    if known[folder] == nil then known[folder] = mount_of(folder) or false end
    return known[folder] or nil
  end
  return function(where)
    local mount = mount_of(where)
    local same = mount and by_dev[mount.dev]
    if not same then return NONE end
    local out = {}
    for _, other in ipairs(same) do
      local inner = join(mount.root, rest_below(where, mount.path))
      if other ~= mount and path.within(inner, other.root) then
        local alias = join(other.path, rest_below(inner, other.root))
        if alias ~= where then out[#out + 1] = alias end
      end
    end
    return out
  end
end

--- The look of the same file under another name.
local function moved(look, where)
  local out = {}
  for key, value in pairs(look) do out[key] = value end
  out.path, out.links = where, nil
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

--- Refuses what is refused or protected by name under its other names, too. What is known by
-- another name only when the view is drawn (live sockets) has them there.
-- @param resolved to its names come the others; its `aliased` tells up to which that was done
function M.refuse(resolved)
  local others, names = M.finder(resolved.facts.mounts), resolved.names
  local last = #names
  if resolved.aliased == 0 then except(resolved, others) end
  for i = resolved.aliased + 1, last do
    local name = names[i]
    local kind = name.look.type
    if kind ~= 'absent' and kind ~= 'link' then
      for _, alias in ipairs(others(name.path)) do
        resolve.add_name(resolved, name.entry, moved(name.look, alias))
      end
    end
  end
  resolved.aliased = #names
end

return M
