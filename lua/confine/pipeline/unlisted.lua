-- Sockets that no list names, where socket.default refuses them: by the folder where the view has
-- one of its own, by their names where the command sees the host's.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Are sockets that no list names refused in a drawn folder? Those that a command makes in its own
-- places are its own.
-- @param drawn from pipeline.refused
function M.is_closed(resolved, drawn, folder)
  local area = drawn.area_of(folder)
  return resolved.policy['socket.default'].value == 'refused' and not (area and area.verb ~= 'read')
end

--- Does the view refuse a socket that socket.default alone refuses? By its name, as it is listened
-- on or was found; or with all others in its folder.
function M.refuses(resolved, where)
  for _, name in ipairs(resolved.sketch.names) do
    if name.path == where then return true end
  end
  local folder = path.split(where)
  local shadow = resolved.sketch.folders[folder]
  return verdict.file(resolved, folder).verdict == 'hidden'
    or (shadow ~= nil and not shadow.empty and M.is_closed(resolved, resolved.sketch, folder))
end

--- Judges the sockets of a folder in which they are refused.
function M.judge(resolved, drawn, folder)
  if not M.is_closed(resolved, drawn, folder) then return nil end
  return function(name)
    local where = path.join(folder, name)
    local look = (resolved.facts.looks[glob.literal(where)] or {})[1]
    local judged = verdict.socket(resolved, where, look and look.type == 'socket' and look or nil)
    return judged.verdict == 'refused' and judged or nil
  end
end

--- The sockets of listed folders that draw judges by their identity: where some are granted, they
-- are so by each name.
-- @return list of absolute paths, for facts.looks
function M.unjudged(resolved)
  local out = {}
  if next(resolved.identity_grants) == nil then return out end
  for folder, listing in pairs(resolved.facts.folders) do
    for _, item in ipairs(M.is_closed(resolved, resolved.sketch, folder) and listing or {}) do
      if item.type == 'socket' then out[#out + 1] = glob.literal(path.join(folder, item.name)) end
    end
  end
  return out
end

local CUT = 'not looked through whole (large, or another file system): a socket may be reachable '
  .. 'in it that no list names'
local CLOSED = 'cannot be listed: a socket may be reachable in it by who knows its name'
local LOST = 'listened on under a relative name, and not found: it may be reachable'

--- The sockets that are listened on under a name that means nothing here, and that were not found.
local function note_lost(resolved, found)
  local known = {}
  for _, item in ipairs(found) do known[resolve.identity(item)] = true end
  for _, socket in ipairs(resolved.facts.sockets) do
    local identity = resolve.identity(socket)
    if socket.path and socket.path:byte(1) ~= 47 and identity and not known[identity] then
      table.insert(resolved.unfound, { path = socket.path, message = LOST })
    end
  end
end

--- Places of the host where sockets lie that a command sees: those where it may make its own, and
-- runtime folders. What is there is refused name by name, where sockets that no list names are
-- refused.
-- @return list of canonical paths
function M.open_places(resolved)
  local out = {}
  if resolved.policy['socket.default'].value ~= 'refused' then return out end
  for _, folder in ipairs(resolved.facts.volatile) do out[#out + 1] = folder end
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      local is_own = item.grant.noun == 'file' and (where == resolved.facts.root
        or not item.grant.default)
      if is_own and item.look.type == 'dir' and where ~= '/' then out[#out + 1] = where end
    end
  end
  return path.outermost(out)
end

--- Refuses those that were found there, unless they are granted.
-- @param found list of { path, dev, ino }
-- @param cuts list of { path, closed } of folders in which there may be more, which `unfound` says
function M.close(resolved, found, cuts)
  for _, cut in ipairs(cuts) do
    -- A host has such folders of other users (/run/sudo); what listens in them the kernel tells.
    table.insert(resolved.unfound, { path = cut.path, message = cut.closed and CLOSED or CUT,
      is_far = cut.closed or nil })
  end
  note_lost(resolved, found)
  local default = resolved.policy['socket.default']
  for _, item in ipairs(found) do
    local look = { path = item.path, type = 'socket', dev = item.dev, ino = item.ino }
    local judged = verdict.socket(resolved, item.path, look)
    if judged.verdict == 'refused' and not resolved.sockets[item.path] then
      table.insert(resolved.names, { path = item.path, look = look,
        entry = { noun = 'socket', verb = 'refuse', thing = glob.literal(item.path), except = {},
          from = default.from, why = judged.reason, final = false } })
    end
  end
end

return M
