-- What the stars of the policy refuse when it appears later, by the folder in which it would.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- The paths of granted sockets.
local function granted_sockets(resolved)
  local out = {}
  for where, items in pairs(resolved.grants_sockets and resolved.grants or {}) do
    for _, item in ipairs(items) do
      if item.grant.noun == 'socket' then out[#out + 1] = where end
    end
  end
  return out
end

--- Is the refusal of a star lifted by what is granted: its authority, or a socket that it matches?
local function is_lifted(resolved, item, granted)
  local entry = item.entry
  if entry.final then return false end
  if resolved.authorities[entry.authority] then return true end
  for _, where in ipairs(entry.noun == 'socket' and granted or {}) do
    if glob.match(item.pattern, where) then return true end
  end
  return false
end

--- Does an exception of the refusal show the whole folder?
local function is_excepted(resolved, entry, folder)
  for _, carve in ipairs(resolved.excepts[entry] or {}) do
    if path.within(folder, carve) then return true end
  end
  return false
end

--- Adds what one star refuses in its folder; of several lines for one name the first is named.
-- A star with more behind it refuses what it matches as a whole, since nothing of it is there yet;
-- one that would match every name tells nothing then and is left out.
local function add(folder, item, rest)
  local entry, first = item.entry, rest:match('^[^/]+')
  local is_last = first == rest
  local known = folder.by_name[first]
  if not (is_last or first:find('[^*?]')) or (known and known.from <= entry.from) then return end
  if not known then folder.order[#folder.order + 1] = first end
  folder.by_name[first] = { name = first, glob = true, is_last = is_last, from = entry.from,
    why = entry.why, as = (entry.verb == 'refuse' and is_last) and 'inert' or 'absent' }
end

--- The stars of a policy.
-- @param resolved resolved policy; its facts know the folders that stars stand in
-- @return map canonical folder -> list of entries by name, and the list of { look, from, why } of
--   folders that are not there either
function M.by_folder(resolved)
  local folders, absent, granted = {}, {}, granted_sockets(resolved)
  for folder, list in pairs(resolved.globs) do
    local look = (resolved.facts.looks[folder] or {})[1] or { path = folder }
    local known = folders[look.path] or { by_name = {}, order = {} }
    folders[look.path] = known
    for _, item in ipairs(list) do
      if item.entry.verb ~= 'protect' and not is_lifted(resolved, item, granted)
        and not is_excepted(resolved, item.entry, look.path) then
        if look.type == 'absent' then
          absent[#absent + 1] = { look = look, from = item.entry.from, why = item.entry.why }
        else
          add(known, item, item.pattern:sub(folder == '/' and 2 or #folder + 2))
        end
      end
    end
  end
  local out = {}
  for folder, known in pairs(folders) do
    table.sort(known.order)
    for i, name in ipairs(known.order) do known.order[i] = known.by_name[name] end
    out[folder] = #known.order > 0 and known.order or nil
  end
  return out, absent
end

return M
