-- Other names of one file by hard links: what is refused under one name is so under all.

local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- What is protected must not be written by another name either, where it is not writable itself.
local HELD = { hide = { hidden = true },
  protect = { protected = true, readable = true, hidden = true, private = true } }

--- Is a name really held in the way that its entry says?
local function is_held(resolved, name)
  local entry, look = name.entry, name.look
  if entry.noun == 'socket' then
    return look.type == 'socket'
      and verdict.socket(resolved, name.path, look).verdict == 'refused'
  end
  return HELD[entry.verb][verdict.file(resolved, name.path).verdict] == true
end

--- Folders that are hidden or protected: what lies in them is so too. Not those with exceptions,
-- such as a home but for the work tree: such a line means the folder, and tools link files of
-- theirs into the tree.
-- @return list of canonical paths, and the names of the refusals, in the same order
function M.held_folders(resolved)
  local out, names = {}, {}
  for _, name in ipairs(resolved.names) do
    local entry = name.entry
    if entry.noun == 'file' and name.look.type == 'dir' and not resolved.excepts[entry] then
      if HELD[entry.verb][verdict.file(resolved, name.path).verdict] then
        out[#out + 1], names[#names + 1] = name.path, name
      end
    end
  end
  return out, names
end

--- More files than this are not looked for; what has so many names is no credential.
local MOST_WANTED = 256

--- The refused files of several names, each once.
-- @param inside list of { path, dev, ino, nlink, wish = place of the folder } of what lies in held
--   folders, and the names of those
-- @return list of { dev, ino, count = of its names, names = those that are refused, known = set of
--   their paths }
function M.wanted(resolved, inside, folders)
  local out, by_identity = {}, {}
  local function want(look, name)
    local identity = resolve.identity(look)
    local item = by_identity[identity]
    if not item and #out < MOST_WANTED then
      item = { dev = look.dev, ino = look.ino, count = look.nlink, names = {}, known = {} }
      by_identity[identity] = item
      out[#out + 1] = item
    end
    if item then
      item.names[#item.names + 1] = name
      item.known[name.path] = true
    end
  end
  for _, name in ipairs(resolved.names) do
    if name.look.nlink and is_held(resolved, name) then want(name.look, name) end
  end
  for _, found in ipairs(inside) do
    local entry = folders[found.wish].entry
    found.type = 'file'
    if HELD[entry.verb][verdict.file(resolved, found.path).verdict] then
      want(found, { path = found.path, look = found, entry = entry })
    end
  end
  return out
end

--- The folders in which the name of a refused file shows: the caller's own, and those of the names.
local function shown_in(resolved, wanted)
  local facts, all = resolved.facts, { resolved.facts.root }
  local function add(thing)
    local look = (facts.looks[thing] or {})[1]
    if look and look.type == 'dir' then all[#all + 1] = look.path end
  end
  for _, home in ipairs(facts.homes) do add(home) end
  for _, dir in ipairs(facts.runtime_dirs) do add(dir) end
  for _, item in ipairs(wanted) do
    for where in pairs(item.known) do
      local folder = path.split(where)
      if folder ~= '/' then all[#all + 1] = folder end
    end
  end
  return path.outermost(all)
end

--- The folders in which a command writes.
local function written_in(resolved)
  local all = { resolved.facts.root }
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      if item.grant.noun == 'file' and item.grant.verb == 'write' and item.look.type == 'dir' then
        all[#all + 1] = where
      end
    end
  end
  return path.outermost(all)
end

--- Where to look for other names: of what is refused or hidden wherever they would show, of what is
-- only protected where they could be written.
-- @param wanted from M.wanted
-- @return list of { wanted, folders }
function M.searches(resolved, wanted)
  local refused, protected, out = {}, {}, {}
  for _, item in ipairs(wanted) do
    local only = true
    for _, name in ipairs(item.names) do only = only and name.entry.verb == 'protect' end
    local list = only and protected or refused
    list[#list + 1] = item
  end
  if #refused > 0 then
    out[1] = { wanted = refused, folders = shown_in(resolved, refused) }
  end
  if #protected > 0 then
    out[#out + 1] = { wanted = protected, folders = written_in(resolved) }
  end
  return out
end

local MORE = '%d more names of this file, not found: what can be seen of them is not refused'

--- Refuses all names of a file in each way in which one of them is refused.
local function spread(resolved, item)
  local names, places = item.names, {}
  for where in pairs(item.known) do places[#places + 1] = where end
  for _, where in ipairs(path.sort(places)) do
    for i = 1, #names do
      local entry, look = names[i].entry, {}
      local map = entry.noun == 'file' and resolved.files or resolved.sockets
      if names[i].path ~= where and not resolve.is_in(map[where], entry) then
        for key, value in pairs(names[i].look) do look[key] = value end
        look.path, look.links = where, nil
        resolve.add_name(resolved, entry, look)
      end
    end
  end
end

--- Takes in what was found, and says of which names some were not.
-- @param resolved to its `linked` come identity -> a name that is refused, to its `unfound`, a list
--   of { path, message }, of which files names were not found
-- @param search one of M.searches
-- @param found list of { path, wish = place in its wanted }
function M.refuse(resolved, search, found)
  local wanted = search.wanted
  for _, link in ipairs(found) do wanted[link.wish].known[link.path] = true end
  for _, item in ipairs(wanted) do
    spread(resolved, item)
    local names, first = item.count, nil
    for _ in pairs(item.known) do names = names - 1 end
    for _, name in ipairs(item.names) do
      first = first or name.entry.verb ~= 'protect' and name or nil
    end
    resolved.linked[resolve.identity(item)] = first
    if names > 0 and first then
      table.insert(resolved.unfound, { path = first.path, message = MORE:format(names) })
    end
  end
end

return M
