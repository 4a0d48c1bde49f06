-- What the stars of the policy refuse when it appears later, by the folder in which it would.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- The looks of granted sockets.
local function granted_sockets(resolved)
  local out = {}
  for _, items in pairs(resolved.grants_sockets and resolved.grants or {}) do
    for _, item in ipairs(items) do
      if item.grant.noun == 'socket' then out[#out + 1] = item.look end
    end
  end
  return out
end

--- Is the refusal of a star lifted by what is granted: its authority, or a socket that it matches?
-- Where it refuses names as a whole, those that are there need no lift.
local function is_lifted(resolved, item, granted)
  local entry = item.entry
  if entry.final then return false end
  if resolved.authorities[entry.authority] then return true end
  for _, look in ipairs(granted) do
    local is_kept = item.part.is_glob and not item.part.is_last
      and path.below(look.exists_to or look.path, item.look.path)
    if not is_kept and entry.noun == 'socket' and glob.match(item.pattern, look.path) then
      return true
    end
  end
  return false
end

--- Does an exception of the refusal show the whole folder?
local function is_excepted(resolved, entry, folder)
  for _, carve in ipairs(resolved.excepts[entry]) do
    if path.within(folder, carve) then return true end
  end
  return false
end

--- Adds what one star refuses in its folder; of several lines for one name the first is named.
-- A star with more behind it refuses what it matches as a whole, since nothing of it is there yet;
-- one of the same name with nothing behind it says more.
local function add(folder, part, entry)
  local name, is_last = part.name, part.is_last
  local known = folder.by_name[name]
  if not known then
    folder.order[#folder.order + 1] = name
  elseif known.is_last ~= is_last then
    if known.is_last then return end
  elseif known.from <= entry.from then
    return
  end
  folder.by_name[name] = { name = name, glob = true, is_last = is_last, from = entry.from,
    why = entry.why, as = (entry.verb == 'refuse' and is_last) and 'inert' or 'absent' }
end

--- The stars of a policy.
-- @param resolved resolved policy
-- @return map canonical folder -> list of entries by name, and the list of { look, from, why } of
--   folders that are not there either
function M.by_folder(resolved)
  local folders, absent, granted = {}, {}, granted_sockets(resolved)
  for _, item in ipairs(resolved.late) do
    local look, entry = item.look, item.entry
    local is_shown = resolved.excepts[entry] and is_excepted(resolved, entry, look.path)
    if not is_shown and not is_lifted(resolved, item, granted) then
      if look.type == 'absent' then
        absent[#absent + 1] = { look = look, from = entry.from, why = entry.why }
      else
        local known = folders[look.path] or { by_name = {}, order = {} }
        folders[look.path] = known
        add(known, item.part, entry)
      end
    end
  end
  local out = {}
  for folder, known in pairs(folders) do
    table.sort(known.order)
    for i, name in ipairs(known.order) do known.order[i] = known.by_name[name] end
    out[folder] = known.order
  end
  return out, absent
end

return M
