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

--- Is nothing there, or only the socket that a run has put in the place of an absent name? That one
-- nobody may write, as is needed to connect, nor execute (0333 is 0xdb).
function M.is_free(look)
  return look.type == 'absent' or look.type == 'socket' and look.mode & 0xdb == 0
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
  -- A link to what is named elsewhere (.git, made by git-new-workdir) is that name.
  local only = entry.only and (entry.only[where:match('[^/]*$')]
    or look.links and entry.only[entry.thing:match('[^/]*$')])
  if only and only ~= look.type and look.type ~= 'link' then return false end
  local firsts, thing = entry.first_absent, entry.thing
  return not M.is_in(firsts, thing) or first_free(firsts, facts) == thing
end

--- A refusal of sockets as the hiding of what else stands at its name. Of a built-in one most
-- fields are of its file (pipeline.catalog), which no copy of its own fields has.
local function hiding(resolved, entry)
  local out = resolved.hidings[entry]
  if not out then
    out = setmetatable({ of_socket = true, noun = 'file', verb = 'hide' }, { __index = entry })
    resolved.hidings[entry] = out
  end
  return out
end

--- What is, or may become, the socket that a refusal names; a link stands for what it leads to.
local SOCKETS = { socket = true, absent = true, unknown = true, link = true }

--- Takes one name of a refusal in. What stands at the name of a refused socket and is none is taken
-- away as a file: a folder with all that is in it.
-- @param entry a refusal of files or sockets
-- @param look of the name
function M.add_name(resolved, entry, look)
  -- Nobody can make it, so no stand-in is made of it either.
  if look.too_long then return end
  if entry.noun == 'socket' and not SOCKETS[look.type] then
    push(resolved.sockets, look.path, entry)
    entry = hiding(resolved, entry)
  end
  local names, map = resolved.names, entry.noun == 'file' and resolved.files or resolved.sockets
  push(map, look.path, entry)
  names[#names + 1] = { path = look.path, look = look, entry = entry }
  if entry.noun == 'socket' and look.type == 'socket' then
    push(resolved.identities, M.identity(look), entry)
  elseif entry.verb == 'hide' and look.type == 'socket' then
    push(resolved.hidden, M.identity(look), look.path)
  end
  -- A link at the listed name itself may be replaced by the real thing later, and each link on the
  -- way to what is protected by something that leads elsewhere.
  local leaf = look.links and glob.plain(entry.thing:match('[^/]*$'))
  for _, link in ipairs(look.links or NONE) do
    if entry.verb == 'protect' or link:match('[^/]*$') == leaf then
      push(map, link, entry)
      names[#names + 1] = { path = link, look = { path = link, type = 'link' }, entry = entry }
    end
  end
end

--- The canonical names that some looks lead to or come by, as a set.
local function names_of(looks)
  local out = {}
  for _, look in ipairs(looks) do
    out[look.path] = true
    for _, link in ipairs(look.links or NONE) do out[link] = true end
  end
  return out
end

--- Can something come to what a glob found on its way? /proc and /dev are made for the run.
local function is_place(look)
  local where, kind = look.path, look.type
  return (kind == 'dir' or kind == 'absent')
    and not path.within(where, '/proc') and not path.within(where, '/dev')
end

--- Refuses a plain name that is left of a glob in a folder, while it is not there.
-- @param item as of resolved.late, for that folder
-- @param there set of the canonical names that are there
local function add_absent(resolved, item, there, facts)
  local entry, folder = item.entry, item.look.path
  local look = { path = path.join(folder, glob.plain(item.part.name)), type = 'absent',
    exists_to = folder }
  if there[look.path] then return end
  if not item.part.is_last then
    item.look = look
    resolved.late[#resolved.late + 1] = item
  elseif M.is_meant(entry, look.path, look, facts) then
    M.add_name(resolved, entry, look)
  end
end

--- What is left of a glob in a folder that the beginning before `part` matches, as an item of
-- resolved.late. Where the folder has another name than the glob says, that one counts too.
local function left_in(resolved, entry, pattern, part, look)
  local where, folder = look.path, part.folder
  if where ~= folder and not glob.match(folder, where) then
    pattern = path.join(glob.literal(where), pattern:sub(folder == '/' and 2 or #folder + 2))
    push(resolved.globs, where, { pattern = pattern, entry = entry })
  end
  return { look = look, pattern = pattern, part = part, entry = entry }
end

--- Takes one glob in: by the folder that it begins with, and, where it refuses, by each folder that
-- its beginning matches here, with what is left of it there.
local function add_glob(resolved, entry, pattern, facts)
  local parts, late = glob.parts(pattern), resolved.late
  local first = parts[1]
  if not first then return end
  local folder = first.folder
  local look = (facts.looks[folder] or NONE)[1]
  local whole = { look = look, pattern = pattern, part = first, entry = entry }
  push(resolved.globs, glob.plain(folder), whole)
  if entry.verb == 'protect' or not look then return end
  late[#late + 1] = look.path == folder and whole
    or left_in(resolved, entry, pattern, first, look)
  for i = 2, #parts do
    local part, there = parts[i], nil
    for _, found in ipairs(facts.looks[part.folder]) do
      if is_place(found) then
        local item = left_in(resolved, entry, pattern, part, found)
        if part.is_glob or found.type == 'absent' then
          late[#late + 1] = item
        else
          there = there or names_of(facts.looks[part.is_last and pattern or parts[i + 1].folder])
          add_absent(resolved, item, there, facts)
        end
      end
    end
  end
end

--- Does a path lie in what a refusal names here, or would its glob match a folder above it?
local function is_of(entry, where, looks, facts)
  for _, look in ipairs(looks) do
    if path.within(where, look.path) then return true end
  end
  for _, pattern in ipairs(glob.is_glob(entry.thing) and facts.expansions[entry.thing] or NONE) do
    local at = where
    while at do
      if glob.match(pattern, at) then return true end
      at = path.split(at)
    end
  end
  return false
end

--- The canonical paths that a refusal excepts. One that lies outside of what is refused excepts
-- nothing: what is there may be an alias.
-- @param looks of what the refusal names
local function carves_of(resolved, entry, looks, facts)
  local out = {}
  for _, item in ipairs(entry.except) do
    for _, look in ipairs(survey.names(item, facts)) do
      if is_of(entry, look.path, looks, facts) then
        out[#out + 1] = look.path
        resolved.carved[look.path] = look
      end
    end
  end
  return out
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
  local looks = survey.names(thing, facts)
  local carves = #entry.except > 0 and carves_of(resolved, entry, looks, facts) or NONE
  if #carves > 0 then resolved.excepts[entry] = carves end
  for _, look in ipairs(looks) do
    local is_meant = not entry.is_live or look.type == 'socket'
    if is_meant and M.is_meant(entry, look.path, look, facts) then
      M.add_name(resolved, entry, look)
    end
  end
  if is_glob then
    if next(resolved.globs_in) or next(resolved.is_open) then
      resolved.globs_in, resolved.is_open = {}, {}
    end
    for _, pattern in ipairs(facts.expansions[thing]) do
      add_glob(resolved, entry, pattern, facts)
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
--   that files' refusals name, globs, late, excepts, carved = looks of what they except, env,
--   env_globs, abstract, grants, liftable, identity_grants, authorities, env_grants,
--   abstract_grants }: maps by canonical path, by identity and by name; but late: what globs refuse
--   later, as a list of { look = of the folder that it comes to, pattern, part, entry }; and what
--   is remembered on the way: owned and holder_of (pipeline.owners), linked and unfound
--   (pipeline.links), logins (pipeline.logins), shut (pipeline.shut), emptied (pipeline.emptied),
--   aliased (pipeline.aliases), hidings, globs_in, is_open
function M.resolve(policy, facts, absent)
  local resolved = { policy = policy, facts = facts, names = {}, files = {}, sockets = {},
    identities = {}, hidden = {}, globs = {}, globs_in = {}, late = {}, excepts = {}, carved = {},
    env = {}, env_globs = {}, abstract = {}, grants = {}, liftable = {}, identity_grants = {},
    authorities = {}, env_grants = {}, abstract_grants = {}, owned = {}, holder_of = {},
    is_open = {}, linked = {}, unfound = {}, logins = {}, shut = {}, emptied = {}, hidings = {},
    absent = absent or {} }
  for _, entry in ipairs(policy.refusals) do M.add_refusal(resolved, entry, facts) end
  for _, grant in ipairs(policy.grants) do add_grant(resolved, grant, facts) end
  return resolved
end

return M
