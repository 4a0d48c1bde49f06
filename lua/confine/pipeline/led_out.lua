-- Links in protected folders: what they lead to is executed like what lies there.

local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- The folders that are protected, also those that no command could write anyway: what a link in
-- them leads to may lie in the tree.
-- @return list of canonical paths, and the names of the refusals, in the same order
function M.folders(resolved)
  local out, names, seen = {}, {}, {}
  for _, name in ipairs(resolved.names) do
    local where = name.path
    if name.entry.verb == 'protect' and name.look.type == 'dir' and not seen[where]
      and verdict.file(resolved, where).verdict ~= 'writable' then
      seen[where] = true
      out[#out + 1], names[#names + 1] = where, name
    end
  end
  return out, names
end

--- Could it be held? A whole way that is absent (`node_modules/x`) is not, since the
-- first folder of it would be kept from being made.
local function is_to_hold(look)
  return look.type == 'file' or look.type == 'dir'
    or (look.type == 'absent' and look.exists_to == path.split(look.path))
end

local CUT = 'not looked through whole: what links in it lead to may be written'
local WHOLE = 'a link in a protected folder leads here, to all of the work tree: it stays writable'

--- Protects what the links lead to, where it could be written; what is left is noted as `unfound`.
-- @param names of the refusals, from M.folders
-- @param found list of { look = of what a link leads to, at = place of its folder in the list }
-- @param cut list of folders that were not looked through whole
function M.refuse(resolved, names, found, cut)
  for _, folder in ipairs(cut) do
    -- Big ones elsewhere, such as toolchains, are usual; that a link in them leads here is not.
    local is_far = verdict.file(resolved, folder).verdict ~= 'protected' or nil
    table.insert(resolved.unfound, { path = folder, message = CUT, is_far = is_far })
  end
  for _, item in ipairs(found) do
    local look = item.look
    if path.within(resolved.facts.root, look.path) then
      table.insert(resolved.unfound, { path = look.path, message = WHOLE })
    elseif is_to_hold(look) and verdict.file(resolved, look.path).verdict == 'writable' then
      resolve.add_name(resolved, names[item.at].entry, { path = look.path, type = look.type,
        dev = look.dev, ino = look.ino, exists_to = look.exists_to, blocked = look.blocked })
    end
  end
end

return M
