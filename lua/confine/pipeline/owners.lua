-- Listening sockets that no record names, known by the process that holds them: the owners of
-- an authority's record are daemons; what they listen on is refused by default like its names.

local endpoints = require 'confine.endpoints'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'
local survey = require 'confine.pipeline.survey'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Bytes that the kernel keeps of a process's name (proc(5), "comm").
local COMM = 15

--- Calls a function with each executable that a record calls an owner: (owner, authority, part).
local function each_owner(policy, take)
  for _, name in ipairs(policy.authority_names) do
    for _, part in ipairs(policy.authorities[name].parts) do
      for _, owner in ipairs(part.owners or {}) do take(owner, name, part) end
    end
  end
end

--- The owners of all records by the names that their processes show.
-- @return map name -> list of { authority, owner = the whole name, untrusted }
local function by_shown_name(policy)
  local out = {}
  local function add(name, item)
    out[name] = out[name] or {}
    table.insert(out[name], item)
  end
  each_owner(policy, function(owner, authority, part)
    local item = { authority = authority, owner = owner,
      untrusted = part.trust == 'project' or nil }
    add(owner, item)
    if #owner > COMM then add(owner:sub(1, COMM), item) end
  end)
  return out
end

--- What a process is the daemon of, by its executable and by its name. Every record that names it
-- counts, else one layer's owner could take a socket away from another record.
-- @return list of { authority, owner }, each authority once
local function roles(holder, by_name)
  local out, seen = {}, {}
  local program = holder.exe and holder.exe:match('[^/]*$') or holder.comm
  for _, name in ipairs { program, holder.comm, holder.comm:match('^(.-): ') } do
    for _, item in ipairs(by_name[name] or {}) do
      if not seen[item.authority] then
        seen[item.authority] = true
        out[#out + 1] = item
      end
    end
  end
  return out
end

--- The names that a closed process was told to listen on. Its folder is not known, so a relative
-- name stands here as one below /.
-- @return function(socket) -> boolean
local function told(holder, list, facts)
  local words, by_path, by_abstract, globs = {}, {}, {}, {}
  for word in holder.command:gmatch('([^%z]*)%z') do words[#words + 1] = word end
  local context = { uid = facts.uid, user = facts.user, home = facts.home, cwd = '',
    runtime_dir = facts.runtime_dir, env = facts.env }
  for _, item in ipairs(list) do
    for _, found in ipairs(endpoints.of_command(item.owner, words, context)) do
      if found.path then by_path[path.normal(found.path)] = true end
      if found.glob then globs[#globs + 1] = found.glob end
      if found.abstract then by_abstract[found.abstract] = true end
    end
  end
  return function(socket)
    if socket.uid and socket.uid ~= holder.uid then return false end
    if socket.abstract then return by_abstract[socket.abstract] == true end
    local where = socket.path:byte(1) == 47 and path.normal(socket.path) or '/' .. socket.path
    if by_path[where] then return true end
    for _, pattern in ipairs(globs) do
      if glob.match(pattern, where) then return true end
    end
    return false
  end
end

--- The named sockets that the daemons hold.
-- @return list of { socket, holder, roles }
local function held(facts, by_name)
  local out, by_inode, closed = {}, {}, {}
  for _, holder in ipairs(facts.holders) do
    local list = roles(holder, by_name)
    if holder.command then
      closed[#closed + 1] = { holder = holder, roles = list, holds = told(holder, list, facts) }
    end
    for _, inode in ipairs(holder.sockets or {}) do
      by_inode[inode] = by_inode[inode] or {}
      table.insert(by_inode[inode], { holder = holder, roles = list })
    end
  end
  if #closed == 0 and not next(by_inode) then return out end
  for _, socket in ipairs(facts.sockets) do
    if socket.path or socket.abstract then
      for _, item in ipairs(by_inode[socket.inode] or {}) do
        out[#out + 1] = { socket = socket, holder = item.holder, roles = item.roles }
      end
      for _, item in ipairs(closed) do
        if item.holds(socket) then
          out[#out + 1] = { socket = socket, holder = item.holder, roles = item.roles }
        end
      end
    end
  end
  return out
end

--- Where a socket may be found: at its bound name, or as what it was renamed to. ssh binds a
-- master's socket as NAME.RANDOM and renames it (OpenSSH, mux.c, muxserver_listen).
local function places_of(item, facts)
  local out, name = {}, item.socket.path
  local folders = { '' }
  if name:byte(1) ~= 47 then
    folders = item.holder.cwd and { item.holder.cwd }
      or { facts.cwd, facts.root, facts.runtime_dir, facts.home }
  end
  for _, folder in ipairs(folders) do
    local where = path.tidy(folder .. '/' .. name)
    out[#out + 1] = where
    out[#out + 1] = where:match('^(.+[^/])%.%w+$')
  end
  return out
end

--- Is what was found at a place the socket itself? On an overlay stat(2) and the kernel's table
-- of sockets call one device by two numbers; there what stands at the very name that was bound
-- counts, unless the process sees other mounts.
local function is_same(look, item, place)
  local socket = item.socket
  if look.type ~= 'socket' then return false end
  local is_bound_name = socket.path == place and not item.holder.elsewhere
  if not socket.ino then return is_bound_name end
  local is_inode = socket.ino & 0xffffffff == look.ino & 0xffffffff
  if socket.dev == look.dev then return is_inode end
  return is_bound_name or (is_inode and not item.holder.elsewhere)
end

--- Lines of the policy that a layer or a drop-in adds: they name a socket without taking it from
-- its owner, else a layer's refusal under one authority would undo that under another.
local function added_lines(policy)
  local out = {}
  for _, name in ipairs(policy.authority_names) do
    for _, part in ipairs(policy.authorities[name].parts) do
      if part.trust ~= 'builtin' or part.added then out[part.from] = true end
    end
  end
  return out
end

--- Who speaks for a socket already: nothing is to be added for these authorities.
-- @param entries the refusals that name the socket
-- @return set of authorities, or true where it belongs to a record, the environment or a refusal
--   for good
local function spoken_for(entries, is_added)
  local out = {}
  for _, entry in ipairs(entries) do
    if entry.final or not is_added[entry.from] then return true end
    if entry.authority then out[entry.authority] = true end
  end
  return out
end

--- Adds the refusals of one socket under one name.
local function refuse(resolved, item, thing, entries, is_added)
  local taken = spoken_for(entries, is_added)
  if taken == true then return end
  for _, role in ipairs(item.roles) do
    if not taken[role.authority] then
      local holder = item.holder
      local entry = { noun = 'socket', verb = 'refuse', thing = thing, final = false, except = {},
        from = ('owner: %s (pid %d)'):format(text.visible(role.owner), holder.pid),
        untrusted = role.untrusted, authority = role.authority,
        why = resolved.policy.authorities[role.authority].grants }
      resolved.owned[#resolved.owned + 1] = { authority = role.authority, thing = thing,
        untrusted = role.untrusted }
      resolve.add_refusal(resolved, entry, resolved.facts)
    end
  end
end

--- More sockets than this are not looked at one by one to save the walk over /proc.
local FEW = 64

--- Can some listening socket be a daemon's that no record names?
local function is_any_open(resolved, is_added)
  local count = 0
  for _, socket in ipairs(resolved.facts.sockets) do
    if socket.path or socket.abstract then
      count = count + 1
      if count > FEW then return true end
      local entries = socket.abstract and verdict.abstract_refusals(resolved, socket.abstract)
        or verdict.socket_refusals(resolved, socket.path, resolve.identity(socket))
      if spoken_for(entries, is_added) ~= true then return true end
    end
  end
  return false
end

--- Notes a daemon's socket that is found at no place: nothing could be refused.
local function note_lost(resolved, item)
  local entries = verdict.socket_refusals(resolved, item.socket.path, resolve.identity(item.socket))
  for _, role in ipairs(item.roles) do
    if not resolved.authorities[role.authority] and #entries == 0 then
      table.insert(resolved.unfound, { path = item.socket.path,
        message = ('%s (pid %d) listens by this name, which is not found here: it may be reachable')
          :format(text.visible(role.owner), item.holder.pid) })
      return
    end
  end
end

--- Refuses what the daemons of this host listen on and no record names.
-- @param resolved resolved policy; what is refused is added to it, and noted in its `owned`: list
--   of { authority, thing }. Its `holder_of` becomes a map inode -> holder.
-- @param door doors.facts, or anything with holders and look
-- @param whole boolean: look for the holders also where records name every socket
-- @return true, or nil and problems
function M.refuse(resolved, door, whole)
  local policy, facts = resolved.policy, resolved.facts
  local is_added = added_lines(policy)
  if not whole and not is_any_open(resolved, is_added) then return true end
  local names = {}
  each_owner(policy, function(owner) names[#names + 1] = owner end)
  local ok, wrong = door.holders(facts, names)
  if not ok then return nil, wrong end
  if #facts.holders == 0 then return true end
  local items = held(facts, by_shown_name(policy))
  if #items == 0 then return true end
  local patterns = {}
  for _, item in ipairs(items) do
    local inode = item.socket.inode
    resolved.holder_of[inode] = resolved.holder_of[inode] or item.holder
    item.places = item.socket.path and places_of(item, facts) or {}
    for _, where in ipairs(item.places) do patterns[#patterns + 1] = glob.literal(where) end
  end
  ok, wrong = door.look(facts, patterns)
  if not ok then return nil, wrong end
  for _, item in ipairs(items) do
    local abstract = item.socket.abstract
    if abstract then
      local entries = verdict.abstract_refusals(resolved, abstract)
      refuse(resolved, item, '@' .. glob.literal(abstract), entries, is_added)
    end
    local is_found = abstract ~= nil
    for _, place in ipairs(item.places) do
      local thing = glob.literal(place)
      facts.expansions[thing] = { thing }
      local look = survey.names(thing, facts)[1]
      if look and is_same(look, item, place) then
        local entries = verdict.socket_refusals(resolved, look.path, resolve.identity(look))
        refuse(resolved, item, thing, entries, is_added)
        is_found = true
        break
      end
    end
    if not is_found then note_lost(resolved, item) end
  end
  return true
end

return M
