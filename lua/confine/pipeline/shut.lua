-- Folders that the caller cannot search, though they are his, in places that a command writes: what
-- is refused in them cannot be looked up, and the command could open them again.

local glob = require 'confine.values.glob'
local resolve = require 'confine.pipeline.resolve'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- The names of refusals that could not be looked up.
-- @return list of paths
function M.unseen(resolved)
  local out = {}
  for _, name in ipairs(resolved.names) do
    if name.look.type == 'unknown' then out[#out + 1] = name.path end
  end
  return out
end

--- Hides such folders as a whole.
-- @param resolved to its `shut` come their paths
-- @param folders list of { path, uid } that M.unseen's names lie in
function M.hide(resolved, folders)
  local seen = {}
  for _, look in ipairs(folders) do
    local where = look.path
    if not seen[where] and look.uid == resolved.facts.uid and where ~= resolved.facts.root
      and verdict.is_written(resolved, where) then
      seen[where] = true
      resolve.add_name(resolved, { noun = 'file', verb = 'hide', thing = glob.literal(where),
        from = 'built in', why = 'it cannot be searched, so what is refused in it cannot be told',
        -- A grant of the folder itself must not lift it.
        final = true, except = {} },
        { path = where, type = 'dir', dev = look.dev, ino = look.ino })
      table.insert(resolved.shut, where)
    end
  end
end

return M
