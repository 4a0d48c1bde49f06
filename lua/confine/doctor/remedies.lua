--- Which remedies fit: by the cause that was found, then by the place this is.
--
-- A remedy is
--   cause    list of causes it is for; all when absent
--   where    list of places it is for: container engines (docker, podman, kubernetes, lxc, nspawn,
--            bwrap) and distributions (debian, ubuntu, fedora, rhel, arch, alpine, suse, nixos);
--            everywhere when absent
--   does     what it does, a sentence
--   commands list of command lines, as root where they ask for it
--   file     { path, text } to write
--   see      the record that has the remedy
--   tried    on what it was tried, else it was not
--   source   who says so, for what was not tried here
-- `{program}` and `{bwrap}` in it stand for where this program and bwrap are.

local M = {}

local function has(list, item)
  if not list then return true end
  for _, each in ipairs(list) do
    if each == item then return true end
  end
  return false
end

local function filled(text, seen)
  return (text:gsub('{(%a+)}', { program = seen.program or '/usr/local/bin/confine-lua',
    bwrap = seen.bwrap and seen.bwrap.path or '/usr/bin/bwrap' }))
end

--- A copy with the names of this host in it.
local function fill(value, seen)
  if type(value) == 'string' then return filled(value, seen) end
  if type(value) ~= 'table' then return value end
  local out = {}
  for key, item in pairs(value) do out[key] = fill(item, seen) end
  return out
end

--- The places this is, the nearest first: a container has its own remedies, and the system in it
-- those of its distribution.
local function places(seen)
  local out = {}
  if seen.place.container then out[1] = seen.place.container end
  out[#out + 1] = seen.place.distribution
  for _, name in ipairs(seen.place.like or {}) do out[#out + 1] = name end
  return out
end

--- The remedies for a cause at this place: of the nearest place that has any, else the general
-- ones.
-- @param all list of remedies
-- @param cause text or nil
-- @param seen facts with place, program, bwrap
-- @return list of remedies, each with `at`, the place it is for, or nil
function M.choose(all, cause, seen)
  local fitting = {}
  for _, remedy in ipairs(all) do
    if has(remedy.cause, cause) then fitting[#fitting + 1] = remedy end
  end
  for _, place in ipairs(places(seen)) do
    local out = {}
    for _, remedy in ipairs(fitting) do
      if remedy.where and has(remedy.where, place) then
        out[#out + 1] = fill(remedy, seen)
        out[#out].at = place
      end
    end
    if #out > 0 then return out end
  end
  local out = {}
  for _, remedy in ipairs(fitting) do
    if not remedy.where then out[#out + 1] = fill(remedy, seen) end
  end
  return out
end

return M
