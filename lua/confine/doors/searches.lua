-- The door to what lies in folders: other names of files, sockets, where links lead, what settings
-- hold. Part of doors.facts.

local core = require 'confine.core'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'

local M = {}

--- What cannot be looked for, as a failure.
local function lost(what, complaint)
  return nil, { problem.new { kind = 'host',
    message = ('%s cannot be looked for: %s'):format(what, complaint) } }
end

--- The names that some files have in some folders and below.
-- @param wanted list of { dev, ino, count = of the names of the file }
-- @param folders list of canonical paths
-- @return list of { path, wish = place in the list of files }, or nil and problems
function M.links(wanted, folders)
  local wishes = {}
  for i, item in ipairs(wanted) do
    wishes[i] = { dev = item.dev, ino = item.ino, names = item.count }
  end
  local found, complaint = core.paths.links(wishes, folders)
  if not found then return lost('hard links', complaint) end
  return found
end

--- The files of several names near the top of some folders.
-- @param folders list of canonical paths
-- @return list of { path, dev, ino, nlink, wish = place in the list of folders }, or nil and
--   problems
function M.several(folders)
  local found, complaint = core.paths.several(folders)
  if not found then return lost('hard links', complaint) end
  return found
end

--- Bytes of a settings file that are read, and the error of more.
local SETTINGS, EFBIG = 256 * 1024, 27

--- What a settings file holds.
-- @param where canonical path
-- @return its text, or nil where it cannot be read; and whether it is too large
function M.text(where)
  local text, _, number = core.paths.read(where, SETTINGS)
  return text, number == EFBIG
end

--- The deepest folders that are there on the ways to some paths.
-- @param paths list of absolute paths, or of what is left of globs
-- @return list of looks, in the same order
function M.folders_of(paths)
  local out = {}
  for i, where in ipairs(paths) do
    local look
    repeat
      where = path.split(where)
      look = core.paths.look(where)
    until look and look.type == 'dir'
    out[i] = look
  end
  return out
end

--- The sockets in some folders and below.
-- @param folders list of canonical paths
-- @return list of { path, dev, ino }, and the list of { path, closed = can be searched and not
--   listed } of folders in which there may be more; or nil and problems
function M.sockets_in(folders)
  local found, more, cuts = core.paths.sockets(folders)
  if not found then return lost('sockets', more) end
  return found, cuts
end

--- Entries of a folder that are looked at for links, and how deep.
local LINKS_IN, LINKS_DEEP = 128, 2

--- What the symbolic links in some folders lead to, of the first entries of each.
-- @param folders list of canonical paths
-- @return list of { look, at = place in the list of folders }, and the list of the folders of which
--   more is there
function M.led_out(folders)
  local out, cut = {}, {}
  for at, folder in ipairs(folders) do
    local left = LINKS_IN
    local function walk(within, depth)
      for _, item in ipairs(core.paths.list(within) or {}) do
        left = left - 1
        if left < 0 then return end
        local where = path.join(within, item.name)
        if item.type == 'link' then
          out[#out + 1] = { look = core.paths.look(where), at = at }
        elseif item.type == 'dir' then
          if depth == LINKS_DEEP then left = -1 else walk(where, depth + 1) end
        end
      end
    end
    walk(folder, 1)
    if left < 0 then cut[#cut + 1] = folder end
  end
  return out, cut
end

return M
