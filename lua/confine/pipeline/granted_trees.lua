-- Names relative to the root that are protected, said of further folders: of other trees that are
-- granted, those below .git of the git folders that have another name, and the .git of submodules.
-- A granted folder is often one for results, so no placeholder is made there for a first name.

local catalog = require 'confine.pipeline.catalog'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'

local M = {}

--- The folders that lines grant to be written, outside of the root, each once.
-- @param facts host facts with the looks of catalog.ways
function M.folders(policy, facts)
  local out, seen = {}, {}
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'file' and grant.verb == 'write' then
      for _, at in ipairs(path.expand(grant.thing, facts)) do
        local look = ((facts.looks or {})[at] or {})[1]
        local where = look and look.type == 'dir' and look.path
        if where and not seen[where] and not path.within(where, facts.root) then
          seen[where] = true
          out[#out + 1] = where
        end
      end
    end
  end
  return path.sort(out)
end

--- A name that means only what is there: `.claud[e]/hooks`.
local function if_there(thing)
  local top, rest = thing:match '^([^/]+)(.*)$'
  local last = top:sub(-1)
  if glob.is_glob(top) or last:find '[%]!^]' then return thing end
  return top:sub(1, -2) .. '[' .. last .. ']' .. rest
end

--- The refusals of protected names in such folders. A folder that is a repository's own counts as
-- the .git of a tree.
-- @param policy merged policy with its catalog
-- @param facts host facts with git_folders (those that belong to granted folders too), git_tops and
--   the looks of catalog.ways
-- @return list of refusals
function M.refusals(policy, facts)
  local out, list = {}, M.folders(policy, facts)
  local repositories, tops = facts.git_folders or {}, facts.git_tops or {}
  if #list == 0 and #repositories == 0 and #tops == 0 then return out end
  local function add(entry, folder, thing)
    local whole = path.join(glob.literal(folder), thing)
    out[#out + 1] = setmetatable({ thing = whole, expansion = { whole },
      is_glob = glob.is_glob(whole) }, { __index = entry })
  end
  for _, entry in ipairs(catalog.relative(policy.catalog)) do
    local own = entry.thing:match '^%.git/(.+)$'
    for _, folder in ipairs(own and repositories or {}) do add(entry, folder, own) end
    for _, folder in ipairs(entry.thing == '.git' and tops or {}) do
      if path.below(folder, facts.root) then add(entry, folder, if_there '.git') end
    end
    for _, folder in ipairs(entry.first_absent and {} or list) do
      add(entry, folder, if_there(entry.thing))
      if own and folder:find '/[^/]*%.git$' and not resolve.is_in(repositories, folder) then
        add(entry, folder, own)
      end
    end
  end
  return out
end

return M
