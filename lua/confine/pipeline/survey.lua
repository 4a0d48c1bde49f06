-- Which names of the host a policy is about: what the facts must look up before a plan can be made.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- The folders in which a star before a plain last part looks; what it protects may be absent.
local function parents(patterns)
  local out = {}
  for _, pattern in ipairs(patterns) do
    if glob.is_glob(pattern) then
      local folder, leaf = path.split(pattern)
      if glob.is_glob(folder) and not glob.is_glob(leaf) then out[#out + 1] = folder end
    end
  end
  return out
end

--- Where a policy names something behind a `..`, itself or by a variable's value: only the host can
-- tell which folder that is, and must be asked before names are compared.
-- @param policy merged policy
-- @param facts host facts (homes, runtime_dirs, env, uid, root)
-- @param more list of further things
-- @return list of absolute paths or globs that end in `..`, each once
function M.climbs(policy, facts, more)
  local out, seen, is_climbing = {}, {}, false
  for _, value in pairs(facts.env) do
    is_climbing = is_climbing or value:find('..', 1, true) ~= nil
  end
  local function want(thing, is_refused)
    if not (thing:find('..', 1, true) or (is_climbing and thing:find('$', 1, true))) then return end
    for _, text in ipairs(path.expand(thing, facts, is_refused)) do
      local up = path.climb(text)
      if up and not seen[up] then
        seen[up] = true
        out[#out + 1] = up
      end
    end
  end
  for _, entry in ipairs(policy.refusals) do
    if entry.noun ~= 'env' and entry.thing:byte(1) ~= 64 then want(entry.thing, true) end
    for _, item in ipairs(entry.except) do want(item) end
  end
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'file' or grant.noun == 'socket' or grant.noun == 'device' then
      if grant.thing:byte(1) ~= 64 then want(grant.thing) end
    end
  end
  for _, thing in ipairs(more) do want(thing, true) end
  table.sort(out)
  return out
end

--- Expands every thing that a policy names, once.
-- @param policy merged policy
-- @param facts host facts (homes, runtime_dirs, env, uid, root); its `expansions` is filled:
--   thing -> list of absolute paths or globs
-- @return list of the paths and globs, each once, for core.paths.survey
function M.patterns(policy, facts)
  local expansions, seen, out = {}, {}, {}
  local function look_at(item)
    if not seen[item] then
      seen[item] = true
      out[#out + 1] = item
    end
  end
  local function look(list)
    for i = 1, #list do look_at(list[i]) end
  end
  local function want(thing, expansion, is_refused)
    local list = expansions[thing]
    if not list and thing:byte(1) ~= 64 then
      list = expansion or path.expand(thing, facts, is_refused)
      expansions[thing] = list
      look(list)
    end
    return list
  end
  for _, entry in ipairs(policy.refusals) do
    if entry.noun ~= 'env' then
      local thing = entry.thing
      local list, is_glob = want(thing, entry.expansion, true), entry.is_glob
      if is_glob == nil then is_glob = glob.is_glob(thing) end
      if list and entry.verb == 'protect' then
        if is_glob or not entry.expansion then look(parents(list)) end
      elseif list and is_glob then
        for i = 1, #list do
          -- What appears later is refused in these, as far as there are any.
          local parts = glob.parts(list[i])
          for j = 1, #parts do look_at(parts[j].folder) end
        end
      end
    end
    for _, item in ipairs(entry.except) do want(item) end
  end
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'file' or grant.noun == 'socket' or grant.noun == 'device' then
      want(grant.thing)
    end
  end
  for _, home in ipairs(facts.homes) do want(home) end
  facts.expansions = expansions
  return out
end

--- The names that one thing of the policy has on this host: every look of its expansions.
-- @param thing as M.patterns saw it
-- @return list of looks { path, type, dev, ino, ... }
function M.names(thing, facts)
  local patterns = facts.expansions[thing] or path.expand(thing, facts)
  if #patterns == 1 then return facts.looks[patterns[1]] or {} end
  local out = {}
  for _, pattern in ipairs(patterns) do
    for _, look in ipairs(facts.looks[pattern] or {}) do out[#out + 1] = look end
  end
  return out
end

return M
