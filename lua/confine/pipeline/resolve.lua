-- A policy on one host: every refusal and grant with its canonical names and identities here.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local survey = require 'confine.pipeline.survey'

local M = {}

local function push(map, key, value)
  local list = map[key]
  if list then
    list[#list + 1] = value
  else
    map[key] = { value }
  end
end

--- A file's identity, as a number that is made in no time; nil when it is not known.
function M.identity(look)
  if not look.dev or not look.ino then return nil end
  -- The kernel tells the low 32 bits of a bound socket's inode only (UNIX_DIAG_VFS), and its
  -- device numbers have 32 (12 of the major, 20 of the minor).
  return look.dev << 32 | look.ino & 0xffffffff
end

local NONE = {}

--- The globs that match a folder up to their last component, found once for all that is in it.
local function globs_in(resolved, folder)
  local out = resolved.globs_in[folder]
  if out then return out end
  out = {}
  local at = folder
  while at do
    for _, item in ipairs(resolved.globs[at] or NONE) do
      local above, last = item.pattern:match('^(.*)/([^/]*)$')
      if glob.match(above == '' and '/' or above, folder) then
        out[#out + 1] = { last = last, entry = item.entry }
      end
    end
    at = path.split(at)
  end
  resolved.globs_in[folder] = out
  return out
end

--- Can a glob match a name in this folder?
function M.has_globs(resolved, folder)
  return #globs_in(resolved, folder) > 0
end

--- The refusals by a glob that matches a path.
-- @return list of entries; not to be changed
function M.globs_over(resolved, where)
  local folder, name = path.split(where)
  local out = NONE
  for _, item in ipairs(folder and globs_in(resolved, folder) or NONE) do
    if glob.match(item.last, name) then
      if out == NONE then out = {} end
      out[#out + 1] = item.entry
    end
  end
  return out
end

--- Is nothing there, or only the socket that a run has put in the place of an absent name?
function M.is_free(look)
  return look.type == 'absent' or look.type == 'socket' and look.mode == 0
end

--- The first of some names in the root that is free. A link is not: the command could replace it.
local function first_free(names, facts)
  for _, name in ipairs(names) do
    local where = path.join(facts.root, name)
    local look = (facts.looks[where] or NONE)[1]
    if look and look.path == where and M.is_free(look) then return name end
  end
end

--- Is a name in a list, which may be nil?
function M.is_in(list, name)
  for _, item in ipairs(list or NONE) do
    if item == name then return true end
  end
  return false
end

--- Does an entry mean this name? A record may be about names of one type only (`only`), and of
-- some only about the first that is absent in the root (`first_absent`).
-- @param where canonical path
-- @param look of that path
function M.is_meant(entry, where, look, facts)
  local only = entry.only and entry.only[where:match('[^/]*$')]
  if only and only ~= look.type and look.type ~= 'link' then return false end
  local firsts, thing = entry.first_absent, entry.thing
  return not M.is_in(firsts, thing) or first_free(firsts, facts) == thing
end

--- Takes one name of a refusal in.
local function add_name(resolved, entry, look, map)
  local names = resolved.names
  push(map, look.path, entry)
  names[#names + 1] = { path = look.path, look = look, entry = entry }
  -- One inode may have many names; only sockets are followed by identity, a regular file's
  -- other hard links are other files to the policy.
  if entry.noun == 'socket' and look.type == 'socket' then
    push(resolved.identities, M.identity(look), entry)
  elseif entry.verb == 'hide' and look.type == 'socket' then
    push(resolved.hidden, M.identity(look), look.path)
  end
  -- A link at the listed name itself may be replaced by the real thing later, and each link on the
  -- way to what is protected by something that leads elsewhere.
  for _, link in ipairs(look.links or NONE) do
    if entry.verb == 'protect' or link:match('[^/]*$') == entry.thing:match('[^/]*$') then
      push(map, link, entry)
      names[#names + 1] = { path = link, look = { path = link, type = 'link' }, entry = entry }
    end
  end
end

--- Names of one refusal. The links that led to a name lead to it inside as well, so the canonical
-- name is the one to refuse.
-- @param entry a refusal of the policy whose things facts.looks knows
function M.add_refusal(resolved, entry, facts)
  local thing, noun = entry.thing, entry.noun
  local is_glob = entry.is_glob
  if is_glob == nil then is_glob = glob.is_glob(thing) end
  if noun == 'env' then
    if is_glob then
      resolved.env_globs[#resolved.env_globs + 1] = entry
    else
      push(resolved.env, thing, entry)
    end
    return
  end
  if thing:byte(1) == 64 then
    resolved.abstract[#resolved.abstract + 1] = entry
    return
  end
  local excepts = entry.except
  if #excepts > 0 then
    local carved = {}
    for _, item in ipairs(excepts) do
      for _, look in ipairs(survey.names(item, facts)) do
        carved[#carved + 1] = look.path
        resolved.carved[look.path] = look
      end
    end
    resolved.excepts[entry] = carved
  end
  local map = noun == 'file' and resolved.files or resolved.sockets
  for _, look in ipairs(survey.names(thing, facts)) do
    if M.is_meant(entry, look.path, look, facts) then add_name(resolved, entry, look, map) end
  end
  if is_glob then
    if next(resolved.globs_in) or next(resolved.is_open) then
      resolved.globs_in, resolved.is_open = {}, {}
    end
    for _, pattern in ipairs(facts.expansions[thing]) do
      local folder = glob.folder(pattern)
      push(resolved.globs, folder, { pattern = pattern, entry = entry })
      local look = entry.verb ~= 'protect' and (facts.looks[folder] or NONE)[1]
      if look and look.path ~= folder then
        local same = path.join(look.path, pattern:sub(folder == '/' and 2 or #folder + 2))
        push(resolved.globs, look.path, { pattern = same, entry = entry })
      end
    end
  end
end

local function add_grant(resolved, grant, facts)
  if grant.noun == 'authority' then
    local known = resolved.authorities[grant.thing]
    if not known or grant.from < known.from then resolved.authorities[grant.thing] = grant end
  elseif grant.noun == 'env' then
    push(resolved.env_grants, grant.thing, grant)
  elseif grant.thing:byte(1) == 64 then
    push(resolved.abstract_grants, grant.thing, grant)
  else
    for _, look in ipairs(survey.names(grant.thing, facts)) do
      push(resolved.grants, look.path, { grant = grant, look = look })
      if grant.noun == 'socket' then
        resolved.grants_sockets = true
        if look.type == 'socket' then push(resolved.identity_grants, M.identity(look), grant) end
      elseif grant.verb == 'read' or grant.verb == 'write' then
        -- A default at or above a grant can be lifted by it; no other needs a closer look.
        local at = look.path
        while at and not resolved.liftable[at] do
          resolved.liftable[at] = true
          at = path.split(at)
        end
      end
    end
  end
end

--- Resolves a policy against facts that hold the looks of its patterns.
-- @param absent names that the catalog knows and the host does not have, from catalog.pick;
--   optional
-- @return resolved { policy, facts, names, files, sockets, identities, hidden = paths of sockets
--   that files' refusals name, globs, excepts, carved = looks of what they except, env, env_globs,
--   abstract, grants, liftable, identity_grants, authorities, env_grants, abstract_grants }: maps
--   by canonical path, by identity and by name; and what is remembered on the way: owned and
--   holder_of (pipeline.owners), globs_in, is_open
function M.resolve(policy, facts, absent)
  local resolved = { policy = policy, facts = facts, names = {}, files = {}, sockets = {},
    identities = {}, hidden = {}, globs = {}, globs_in = {}, excepts = {}, carved = {}, env = {},
    env_globs = {}, abstract = {}, grants = {}, liftable = {}, identity_grants = {},
    authorities = {}, env_grants = {}, abstract_grants = {}, owned = {}, holder_of = {},
    is_open = {}, absent = absent or {} }
  for _, entry in ipairs(policy.refusals) do M.add_refusal(resolved, entry, facts) end
  for _, grant in ipairs(policy.grants) do add_grant(resolved, grant, facts) end
  return resolved
end

return M
