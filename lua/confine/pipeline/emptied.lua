-- Private places that a layer asks for where all is hidden by default: hidden stays hidden, so they
-- are empty ones.

local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- The explicit private grants of what is hidden, outermost first.
-- @return list of { path, items = those at the path, at = place in them }
local function hidden_ones(resolved)
  local out = {}
  for where, items in pairs(resolved.grants) do
    for at, item in ipairs(items) do
      local grant = item.grant
      if grant.noun == 'file' and grant.verb == 'private' and not grant.default
        and verdict.file(resolved, where).verdict == 'hidden' then
        out[#out + 1] = { path = where, items = items, at = at }
      end
    end
  end
  return path.sort(out, function(a, b) return a.at < b.at end)
end

local function copy_of(map)
  local out = {}
  for key, value in pairs(map) do out[key] = value end
  return out
end

--- Makes them empty, where no line hides the place for good.
-- @param resolved to its `emptied` come these places: path -> grant
-- @return true, or nil and problems: nothing can be kept of what is hidden
function M.settle(resolved)
  local problems = {}
  for _, found in ipairs(hidden_ones(resolved)) do
    local item, where = found.items[found.at], found.path
    local grant = copy_of(item.grant)
    grant.empty = true
    resolved.emptied[where] = grant
    found.items[found.at] = { grant = grant, look = item.look }
    local at = where
    while at and not resolved.liftable[at] do
      resolved.liftable[at] = true
      at = path.split(at)
    end
    local judged = verdict.file(resolved, where)
    if judged.verdict ~= 'private' then
      resolved.emptied[where], found.items[found.at] = nil, item
    elseif grant.keep then
      problems[#problems + 1] = problem.new { kind = 'bad_grant', word = 'file.private',
        from = grant.from, message = ("file.private '%s': it is hidden (%s), so the place is empty "
          .. 'and nothing can be kept in it'):format(grant.thing, judged.lifted.from),
        hint = 'remove `keep`, or show the folder with file.write' }
    end
  end
  if #problems > 0 then return nil, problems end
  return true
end

--- Has the folders that show nothing of the host's know of these places in them: of what they do
-- not list, the keeper takes away what the host lacks, and covers what a place stands for.
-- @param ops of a view, whose folders of this kind get entries
function M.seat(ops, resolved)
  if not next(resolved.emptied) then return end
  local by_path, places = {}, {}
  for _, op in ipairs(ops) do
    if op.op == 'shadow' or (op.op == 'bind' and not op.pin) or op.op == 'private' then
      by_path[op.path] = op
    end
  end
  for where in pairs(resolved.emptied) do places[#places + 1] = where end
  for _, where in ipairs(path.sort(places)) do
    local at = path.split(where)
    while at and not by_path[at] do at = path.split(at) end
    local op = at and by_path[at]
    if op and op.op == 'shadow' and op.by == 'tmpfs' and op.others == 'none' then
      local name, known = where:sub(#at + 2):match '^[^/]+', false
      for _, entry in ipairs(op.entries) do known = known or entry.name == name end
      if not known then table.insert(op.entries, { name = name, as = 'dir', type = 'dir' }) end
    end
  end
end

return M
