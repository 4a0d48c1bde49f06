-- Which names of the host a policy is about: what the facts must look up before a plan can be made.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- How many names of the host the stars of layers may be held against, all lines together: those
-- that people wrote, and those of the work tree's policy, which a command may have written.
M.MOST = { layer = 1000000, project = 500000 }

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
-- @return { patterns = list of absolute paths or globs that end in `..`, each once, lines = as of
--   M.searches, most }
function M.climbs(policy, facts, more)
  local out, lines, is_climbing = {}, {}, false
  for _, value in pairs(facts.env) do
    is_climbing = is_climbing or value:find('..', 1, true) ~= nil
  end
  local function want(thing, is_refused, line)
    if not (thing:find('..', 1, true) or (is_climbing and thing:find('$', 1, true))) then return end
    for _, text in ipairs(path.expand(thing, facts, is_refused)) do
      local up = path.climb(text)
      if up and lines[up] == nil then
        lines[up] = line or false
        out[#out + 1] = up
      end
    end
  end
  for _, entry in ipairs(policy.refusals) do
    if entry.noun ~= 'env' and entry.thing:byte(1) ~= 64 then want(entry.thing, true, entry) end
    for _, item in ipairs(entry.except) do want(item, nil, entry) end
  end
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'file' or grant.noun == 'socket' or grant.noun == 'device' then
      if grant.thing:byte(1) ~= 64 then want(grant.thing, nil, grant) end
    end
  end
  for _, thing in ipairs(more) do want(thing, true) end
  table.sort(out)
  return { patterns = out, lines = lines, most = M.MOST.layer }
end

--- Whose search the stars of an entry belong to.
-- @param projects set of the names of layers of the work tree
local function owner_of(entry, projects)
  if entry.untrusted or projects[entry.layer] then return 'project' end
  return entry.layer and 'layer' or 'own'
end

--- Expands every thing that a policy names, once.
-- @param policy merged policy
-- @param facts host facts (homes, runtime_dirs, env, uid, root); its `expansions` is filled:
--   thing -> list of absolute paths or globs
-- @return list of searches { patterns = list of paths and globs, lines = map of each to the entry
--   that first names it, or false, most = how many names its stars may be held against, or nil }
function M.searches(policy, facts)
  local expansions, lines, projects, line = {}, {}, {}, false
  local own = { patterns = {}, lines = lines }
  local by_owner = { own = own }
  for _, owner in ipairs { 'layer', 'project' } do
    by_owner[owner] = { patterns = {}, lines = lines, most = M.MOST[owner] }
  end
  for _, layer in ipairs(policy.layers or {}) do projects[layer.name] = layer.trust == 'project' end
  local function look_at(item)
    if lines[item] == nil then
      local search = line and glob.is_glob(item) and by_owner[owner_of(line, projects)] or own
      lines[item] = line
      search.patterns[#search.patterns + 1] = item
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
    line = entry
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
    line = grant
    if grant.noun == 'file' or grant.noun == 'socket' or grant.noun == 'device' then
      want(grant.thing)
    end
  end
  line = false
  for _, home in ipairs(facts.homes) do want(home) end
  facts.expansions = expansions
  local out = { own }
  for _, owner in ipairs { 'layer', 'project' } do
    if #by_owner[owner].patterns > 0 then out[#out + 1] = by_owner[owner] end
  end
  return out
end

--- The names that one thing of the policy has on this host: every look of its expansions.
-- @param thing as M.searches saw it
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
