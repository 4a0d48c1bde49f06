-- The folders at which shadows begin: below them every refused name is refused through its folder.

local path = require 'confine.values.path'

local M = {}

--- The stable folders below which names come and go, for any policy. The longest comes first.
-- @return list of paths
function M.stable(facts)
  local out = {}
  for _, dir in ipairs(facts.volatile) do out[#out + 1] = dir end
  for _, dir in ipairs(facts.home_folders) do out[#out + 1] = dir end
  table.sort(out, function(a, b)
    if #a ~= #b then return #a > #b end
    return a < b
  end)
  return out
end

--- Is a line the program's own? What those refuse outside of the stable folders is seldom there,
-- and root's.
function M.is_built_in(from) return from:find('^policies/') ~= nil end

--- Nothing is put into the place of a folder of the kernel's.
local KERNELS = { '/dev', '/proc', '/sys' }

local function is_in_one(folder, list)
  for _, above in ipairs(list) do
    if path.within(folder, above) then return true end
  end
  return false
end

--- The bases of one policy outside of the stable folders and of the writable and private places,
-- for refused sockets that are there and for all that other lines than built-in ones refuse. A mask
-- over the name itself would fall, for a moment, when a daemon binds anew or a file is replaced,
-- and a shadow of its folder alone when that is made again; so they are the folders below `/`.
-- @param names list of { path, type, from }, what is refused
-- @param stars map folder -> list of { from }, what is refused in it when it comes
-- @param area_of function(path) -> the writable or private place that it lies in, or nil
-- @param stable list of M.stable
-- @return list of folders, each once, sorted
function M.own(names, stars, area_of, stable)
  local known, out = {}, {}
  local function add(folder)
    local top = folder:match '^/[^/]+'
    if not top or known[top] or known[folder] then return end
    known[folder] = true
    if not area_of(folder) and not is_in_one(folder, KERNELS) and not is_in_one(folder, stable) then
      known[top] = true
      out[#out + 1] = top
    end
  end
  for _, name in ipairs(names) do
    if name.type == 'socket' or not M.is_built_in(name.from) then add((path.split(name.path))) end
  end
  for folder, entries in pairs(stars) do
    for _, entry in ipairs(entries) do
      if not M.is_built_in(entry.from) then add(folder) end
    end
  end
  table.sort(out)
  return out
end

return M
