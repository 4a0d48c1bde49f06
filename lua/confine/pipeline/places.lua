-- Places of the view: where grants make the host's tree writable or private, or names come and go.

local path = require 'confine.values.path'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- The verdict at the very place without which a grant makes none: another line caps it there.
local MADE = { write = 'writable', private = 'private' }

--- Grants of files with their canonical paths, sorted; at one path write, private, read.
-- @return list of { path, verb, grant, look, is_made = a writable or private place }
function M.grants(resolved)
  local out = {}
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      if item.grant.noun == 'file' then
        local verb, judged = item.grant.verb, verdict.file(resolved, where)
        local is_made = MADE[verb] ~= nil and judged.verdict == MADE[verb]
          and (verb ~= 'private' or (judged.empty == true) == (item.grant.empty == true))
        out[#out + 1] = { path = where, verb = verb, grant = item.grant, look = item.look,
          is_made = is_made }
      end
    end
  end
  local order = { write = 1, private = 2, read = 3 }
  return path.sort(out, function(a, b)
    if a.verb ~= b.verb then return order[a.verb] < order[b.verb] end
    return a.grant.from < b.grant.from
  end)
end

local function is_below(resolved, where, name)
  local at = path.split(where)
  while at do
    if verdict.file(resolved, at).verdict == name then return true end
    at = path.split(at)
  end
  return false
end

--- Does a path lie below a hidden folder?
function M.is_below_hidden(resolved, where) return is_below(resolved, where, 'hidden') end

--- Is an exception bound back: what it shows of a hidden folder, what it leaves writable of a
-- protected one?
function M.is_put_back(resolved, where)
  return M.is_below_hidden(resolved, where)
    or (verdict.file(resolved, where).verdict == 'writable'
      and is_below(resolved, where, 'protected'))
end

--- What exceptions put back writable: places of their own, since the place around them is hidden or
-- protected there.
-- @return list of items as of M.grants
function M.excepted(resolved)
  local out = {}
  for entry, carves in pairs(resolved.excepts) do
    for _, where in ipairs(carves) do
      if verdict.file(resolved, where).verdict == 'writable'
        and M.is_put_back(resolved, where) then
        out[#out + 1] = { path = where, verb = 'write', grant = entry, is_made = true }
      end
    end
  end
  return out
end

--- The writable and private places, to be found by the paths in them.
-- @param grants from M.grants
-- @param excepted from M.excepted; optional
-- @return function(path) -> the grant of the nearest such place at or above it, or nil
function M.areas(grants, excepted)
  local by_path, known = {}, {}
  for _, list in ipairs { grants, excepted } do
    for _, item in ipairs(list) do
      if item.is_made and not by_path[item.path] then by_path[item.path] = item end
    end
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

--- Private places that hold nothing of the host's, such as /tmp.
-- @return list of { path, grant, ... }
function M.empties(grants)
  local out, seen = {}, {}
  for _, item in ipairs(grants) do
    if item.is_made and item.grant.empty and not seen[item.path] then
      seen[item.path] = true
      out[#out + 1] = item
    end
  end
  return out
end

--- Private places that are absent on the host: they need a folder to be mounted on. In a place that
-- shows the host's there can be none.
function M.absent(grants)
  local out, area_of = {}, M.areas(grants)
  for _, item in ipairs(grants) do
    local parent = path.split(item.path)
    local above = parent and area_of(parent)
    if item.is_made and item.verb == 'private' and not item.grant.empty
      and item.look.type == 'absent' and (not above or above.grant.empty) then
      out[#out + 1] = item
    end
  end
  return out
end

--- The folders that are made in the view for absent private places, as a set.
function M.made(absent)
  local made = {}
  for _, item in ipairs(absent) do
    for _, folder in ipairs(path.between(item.look.exists_to or '/', item.path)) do
      made[folder] = true
    end
    made[item.path] = true
  end
  return made
end

return M
