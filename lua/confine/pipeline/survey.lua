-- Which names of the host a policy is about: what the facts must look up before a plan can be made.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- The paths and globs that a policy names, expanded, each once, sorted.
-- @param policy merged policy
-- @param facts host facts (homes, runtime_dirs, env, uid, root)
-- @return list of absolute paths or globs for core.paths.survey
function M.patterns(policy, facts)
  local seen, out = {}, {}
  local function want(thing)
    if thing:sub(1, 1) == '@' then return end
    for _, item in ipairs(path.expand(thing, facts)) do
      if not seen[item] then
        seen[item] = true
        out[#out + 1] = item
      end
    end
  end
  for _, entry in ipairs(policy.refusals) do
    if entry.noun ~= 'env' then want(entry.thing) end
    for _, item in ipairs(entry.except) do want(item) end
  end
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'file' or grant.noun == 'socket' or grant.noun == 'device' then want(grant.thing) end
  end
  for _, home in ipairs(facts.homes) do want(home) end
  table.sort(out)
  return out
end

--- The names that one thing of the policy has on this host: every look of its expansions.
-- @return list of { path, type, dev, ino, ..., pattern = the expansion it came from }
function M.names(thing, facts)
  local out = {}
  for _, pattern in ipairs(path.expand(thing, facts)) do
    for _, look in ipairs(facts.looks[pattern] or {}) do
      out[#out + 1] = setmetatable({ pattern = pattern }, { __index = look })
    end
  end
  return out
end

--- Does a canonical path fall under a thing's expansions, by text: equal, or matched by its glob?
function M.names_path(thing, where, facts)
  for _, pattern in ipairs(path.expand(thing, facts)) do
    if glob.match(pattern, where) then return true end
  end
  return false
end

return M
