-- A policy on one host: every refusal and grant with the canonical names and identities it has here.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local survey = require 'confine.pipeline.survey'

local M = {}

local function push(map, key, value)
  local list = map[key]
  if not list then
    list = {}
    map[key] = list
  end
  list[#list + 1] = value
end

--- A file's identity, as text.
function M.identity(look)
  if not look.dev or not look.ino then return nil end
  return ('%d:%d'):format(look.dev, look.ino)
end

local function except_paths(entry, facts)
  local out = {}
  for _, thing in ipairs(entry.except) do
    for _, look in ipairs(survey.names(thing, facts)) do out[#out + 1] = look.path end
  end
  return out
end

--- Names of one refusal. The links that led to a name are names too where they could be replaced:
-- whoever follows them ends at the canonical name, which is refused.
local function add_refusal(resolved, entry, facts)
  if entry.noun == 'env' then
    push(resolved.env, entry.thing, entry)
    if glob.is_glob(entry.thing) then resolved.env_globs[#resolved.env_globs + 1] = entry end
    return
  end
  if entry.thing:sub(1, 1) == '@' then
    resolved.abstract[#resolved.abstract + 1] = entry
    return
  end
  local item = { entry = entry, except = except_paths(entry, facts) }
  local map = entry.noun == 'file' and resolved.files or resolved.sockets
  for _, look in ipairs(survey.names(entry.thing, facts)) do
    push(map, look.path, item)
    resolved.names[#resolved.names + 1] = { path = look.path, look = look, entry = entry, item = item }
    -- One inode may have many names; only sockets are followed by identity, a regular file's
    -- other hard links are other files to the policy.
    if entry.noun == 'socket' and look.type == 'socket' then
      push(resolved.identities, M.identity(look), item)
    end
  end
  for _, pattern in ipairs(path.expand(entry.thing, facts)) do
    if glob.is_glob(pattern) then
      resolved.globs[#resolved.globs + 1] = { pattern = pattern, item = item, noun = entry.noun }
    end
  end
end

local function add_grant(resolved, grant, facts)
  if grant.noun == 'authority' then
    resolved.authorities[grant.thing] = resolved.authorities[grant.thing] or grant
  elseif grant.noun == 'env' then
    push(resolved.env_grants, grant.thing, grant)
  elseif grant.thing:sub(1, 1) == '@' then
    push(resolved.abstract_grants, grant.thing, grant)
  else
    for _, look in ipairs(survey.names(grant.thing, facts)) do
      push(resolved.grants, look.path, { grant = grant, look = look })
      if grant.noun == 'socket' and look.type == 'socket' then
        push(resolved.identity_grants, M.identity(look), grant)
      end
    end
  end
end

--- Resolves a policy against facts that hold the looks of its patterns.
-- @return resolved { policy, facts, names, files, sockets, identities, globs, env, env_globs, abstract,
--   grants, identity_grants, authorities, env_grants, abstract_grants }: maps by canonical path, by
--   identity and by name, whose order follows the policy's
function M.resolve(policy, facts)
  local resolved = { policy = policy, facts = facts, names = {}, files = {}, sockets = {}, identities = {},
    globs = {}, env = {}, env_globs = {}, abstract = {}, grants = {}, identity_grants = {}, authorities = {},
    env_grants = {}, abstract_grants = {} }
  for _, entry in ipairs(policy.refusals) do add_refusal(resolved, entry, facts) end
  for _, grant in ipairs(policy.grants) do add_grant(resolved, grant, facts) end
  return resolved
end

return M
