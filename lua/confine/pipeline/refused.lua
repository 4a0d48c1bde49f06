-- The names that a run refuses or hides, each once, and how: through its folder or where it stands.
-- A mask on one file is dropped when the host renames over it, so a name is refused through its
-- folder where that can be: the folder and its ancestors down from a stable base become private.

local aliases = require 'confine.pipeline.aliases'
local base_folders = require 'confine.pipeline.bases'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local places = require 'confine.pipeline.places'
local resolve = require 'confine.pipeline.resolve'
local stars = require 'confine.pipeline.stars'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- The topmost missing part of an absent path: while it is not there, nothing below it is.
-- @param look { path, exists_to = the deepest folder that exists }
-- @param made set of absent folders that the view makes
function M.missing_part(look, made)
  local where, base = look.path, look.exists_to
  if not base or not path.below(where, base) then return where end
  local from = base == '/' and 2 or #base + 2
  while true do
    local stop = where:find('/', from, true)
    if not stop then return where end
    local folder = where:sub(1, stop - 1)
    if not made[folder] then return folder end
    from = stop + 1
  end
end

--- The source of names that a whole group of built-in records shares.
local BUILT_IN = { from = 'policies/', why = 'built-in records hide what would be there' }

--- Collects refused names by path; of several lines the strongest, then the first, is named.
local function collector()
  local by_path, paths = {}, {}
  local function note(where, kind, verb, judged)
    local known = by_path[where]
    if not known then
      known = { path = where, type = kind, verb = verb, from = judged.from, why = judged.why }
      by_path[where] = known
      paths[#paths + 1] = where
    elseif (verb == 'hide' and known.verb ~= 'hide')
      or (verb == known.verb and judged.from < known.from) then
      known.verb, known.from, known.why = verb, judged.from, judged.why
    end
  end
  return note, by_path, paths
end

--- Names that the policy lists, as the host has them.
local function listed(resolved, made, note)
  local function place(look, where)
    return look.type == 'absent' and M.missing_part(look, made) or where
  end
  for _, name in ipairs(resolved.names) do
    local where, look, entry = name.path, name.look, name.entry
    local kind = look.type
    -- What would lie below a file: nothing comes there while that is one, and it is not refused.
    if not look.blocked and entry.verb == 'hide' and kind ~= 'unknown' then
      local judged = verdict.surely_held(resolved, entry, where) and entry
        or verdict.file(resolved, where)
      if judged == entry or judged.verdict == 'hidden' then
        note(place(look, where), kind, 'hide', judged)
      end
    elseif not look.blocked and entry.noun == 'socket' then
      local judged = entry
      if not entry.final and (resolved.grants_sockets or resolved.authorities[entry.authority]) then
        judged = verdict.socket(resolved, where, kind == 'socket' and look or nil)
      end
      if judged == entry or judged.verdict == 'refused' then
        note(place(look, where), kind, 'refuse', judged)
      end
    end
  end
  for _, group in ipairs(resolved.absent) do
    -- Where the folder is not there either, it stands for all that would be in it.
    if group.look.type == 'absent' and not group.look.blocked then
      note(M.missing_part(group.look, made), 'absent', 'hide', BUILT_IN)
    end
  end
end

--- Live sockets that the policy refuses though it does not list their path: by another name of the
-- same inode, by a star in a folder that cannot be listed, by socket.default. They are known by the
-- text that they were bound to, which may lead through links, or to nothing any more.
-- Of what is refused in a folder as a whole (by socket.default, in a hidden folder) the folder is
-- looked at once: a host has ten thousand of them.
-- @return list of { socket, pattern = what is to be looked at, name = the last part where that is
--   the folder only }
local function bound(resolved)
  local out, folders = {}, {}
  local is_refused = resolved.policy['socket.default'].value == 'refused'
  for _, socket in ipairs(resolved.facts.sockets) do
    local where = socket.path
    if where and where:byte(1) == 47 and not resolved.sockets[where] then
      local is_off_list = verdict.is_off_list(resolved, where, resolve.identity(socket))
      if (is_refused or not is_off_list)
        and verdict.socket(resolved, where, socket).verdict == 'refused' then
        local folder, name = where:match('^(.*)/([^/]*)$')
        if folder == '' then folder = '/' end
        local known = folders[folder]
        if not known then
          known = { pattern = glob.literal(folder),
            is_hidden = verdict.file(resolved, folder).verdict == 'hidden' }
          folders[folder] = known
        end
        out[#out + 1] = (is_off_list or known.is_hidden)
          and { socket = socket, pattern = known.pattern, name = name }
          or { socket = socket, pattern = glob.literal(where) }
      end
    end
  end
  return out
end

--- Where the live sockets that M.sketch refuses must be looked for.
-- @return list of absolute paths or globs, each once
function M.bound(resolved)
  local out, seen = {}, {}
  for _, item in ipairs(bound(resolved)) do
    if not seen[item.pattern] then
      seen[item.pattern] = true
      out[#out + 1] = item.pattern
    end
  end
  return out
end

--- The verdict on one of them where it lies, and its canonical path; nil where nothing is there any
-- more that need be refused.
local function judge_bound(resolved, item)
  local look = (resolved.facts.looks[item.pattern] or {})[1] or { type = 'absent' }
  if item.name then
    if look.type ~= 'dir' and look.type ~= 'unknown' then return nil end
    local where = path.join(look.path, item.name)
    return verdict.socket(resolved, where, item.socket), where
  elseif look.type == 'unknown' then
    return verdict.socket(resolved, look.path, item.socket), look.path
  elseif look.type == 'socket' then
    local judged = verdict.socket(resolved, look.path, look)
    if judged.verdict == 'refused' or judged.granted then return judged, look.path end
    -- A star may match the text only.
    return verdict.socket(resolved, item.socket.path, look), look.path
  end
end

--- Those live sockets, at their canonical paths and at the other places where their file system is
-- mounted.
local function live(resolved, note)
  local others = aliases.finder(resolved.facts.mounts)
  local function refuse(judged, where)
    if judged and judged.verdict == 'refused' then note(where, 'socket', 'refuse', judged) end
  end
  for _, item in ipairs(bound(resolved)) do
    local judged, where = judge_bound(resolved, item)
    refuse(judged, where)
    for _, alias in ipairs(where and others(where) or {}) do
      refuse(verdict.socket(resolved, alias, item.socket), alias)
    end
  end
end

--- Every refused or hidden name, sorted so that a folder comes before what it holds, without names
-- below another hidden or absent one.
-- @param absent folders of stars that are not there
-- @param is_shown function(path): is it in what shows of a hidden folder? There its names count,
--   but for those that are in what is hidden again.
local function names(resolved, made, absent, is_shown)
  local note, by_path, paths = collector()
  listed(resolved, made, note)
  for _, item in ipairs(absent) do
    note(M.missing_part(item.look, made), 'absent', 'hide', item)
  end
  live(resolved, note)
  path.sort(paths)
  local out, above = {}, {}
  for _, where in ipairs(paths) do
    local name = by_path[where]
    while above[1] and not path.below(where, above[#above]) do above[#above] = nil end
    if not above[1] or (is_shown(where)
      and verdict.file(resolved, (path.split(where))).verdict ~= 'hidden') then
      out[#out + 1] = name
      if name.verb == 'hide' or name.type == 'absent' then above[#above + 1] = where end
    end
  end
  return out
end

--- The places of hidden folders that show again: by a grant that names them, by an exception.
-- @return function(path) -> boolean: does it lie below such a place?
local function shown_places(resolved, grants)
  local places_shown = {}
  local function look_at(where)
    if verdict.file(resolved, where).verdict ~= 'hidden'
      and places.is_below_hidden(resolved, where) then
      places_shown[#places_shown + 1] = where
    end
  end
  for _, item in ipairs(grants) do look_at(item.path) end
  for _, carves in pairs(resolved.excepts) do
    for _, where in ipairs(carves) do look_at(where) end
  end
  return function(where)
    for _, place in ipairs(places_shown) do
      if path.below(where, place) then return true end
    end
    return false
  end
end

local NOTHING, COVER = { how = 'nothing' }, { how = 'cover', folders = {} }

--- How a name is refused: 'shadow' (with base and folders): in its private folder; 'mask' (with its
-- folder): where it stands, as soon as it does; 'cover': where it stands now; 'nothing': it lies in
-- an empty private place or in /dev, which the plan makes anew.
-- @param is_shown from shown_places: what shows of a hidden folder is bound there, and masked
local function treatment(name, area_of, bases, memo, is_shown)
  local parent = path.split(name.path)
  if path.within(parent, '/dev') then return NOTHING end
  local place = memo[parent]
  if not place then
    place = { area = area_of(parent), is_shown = is_shown(name.path) }
    for _, base in ipairs(bases) do
      if path.within(parent, base) then
        place.base = base
        break
      end
    end
    memo[parent] = place
  end
  local area, base = place.area, place.base
  local in_area = area and (not base or #area.path >= #base)
  if in_area and area.grant.empty then
    -- Nothing of the host's is there; a live socket still gets an entry that answers.
    if name.type ~= 'socket' then return NOTHING end
    return { how = 'shadow', base = area.path, empty = true,
      folders = path.between(area.path, name.path) }
  end
  -- What holds for a folder holds for all names in it.
  if base and not in_area and not place.is_shown then
    if not place.shadow then
      place.shadow = { how = 'shadow', base = base, folders = path.between(base, name.path) }
      table.insert(place.shadow.folders, 1, base)
    end
    return place.shadow
  end
  -- A link cannot be masked, and need not be: what it leads to is.
  if name.type == 'link' then return NOTHING end
  -- The root itself is no folder to mask names in.
  if parent == '/' then return name.type == 'absent' and NOTHING or COVER end
  place.mask = place.mask or { how = 'mask', base = parent, folders = { parent } }
  return place.mask
end

--- Does a star among the entries of a folder refuse names as a whole?
local function has_whole(entries)
  for _, entry in ipairs(entries) do
    if not entry.is_last then return true end
  end
  return false
end

--- Decides for every refused name how it is refused, and which folders are shadowed for that.
-- @param resolved resolved policy
-- @return { grants, area_of, absent = absent private places, empties, names = list of { path, type,
--   verb, from, why, treatment }, folders = map path -> { base, empty, mask, is_listed = a mask
--   that needs to know what is there, absent = names of built-in records that are not there } }
function M.sketch(resolved)
  local grants, bases = places.grants(resolved), base_folders.stable(resolved.facts)
  local area_of = places.areas(grants, places.excepted(resolved))
  local absent = places.absent(grants)
  local late, nowhere = stars.by_folder(resolved)
  local is_shown = shown_places(resolved, grants)
  local drawn = { grants = grants, area_of = area_of, absent = absent, folders = {}, stars = late,
    empties = places.empties(grants),
    names = names(resolved, places.made(absent), nowhere, is_shown) }
  -- None of the stable folders lies around one of these: the longest still comes first.
  for _, folder in ipairs(base_folders.own(drawn.names, late, area_of, bases)) do
    bases[#bases + 1] = folder
  end
  local last
  local function want(how)
    if how == last then return end
    last = how
    for _, folder in ipairs(how.folders) do
      if not drawn.folders[folder] then
        drawn.folders[folder] = { base = how.base, empty = how.empty, mask = how.how == 'mask' }
      end
    end
  end
  local memo = {}
  for _, name in ipairs(drawn.names) do
    name.treatment = treatment(name, area_of, bases, memo, is_shown)
    if name.treatment.how ~= 'nothing' then want(name.treatment) end
  end
  for _, group in ipairs(resolved.absent) do
    local folder = group.look.path
    if group.look.type == 'dir' and verdict.file(resolved, folder).verdict ~= 'hidden' then
      local how = treatment({ path = path.join(folder, group.names[1]), type = 'absent' }, area_of,
        bases, memo, is_shown)
      if how.how ~= 'nothing' then
        want(how)
        local wanted = drawn.folders[folder]
        if not wanted.absent then
          wanted.absent = group.names
        else
          wanted.absent = table.move(wanted.absent, 1, #wanted.absent, 1, {})
          table.move(group.names, 1, #group.names, #wanted.absent + 1, wanted.absent)
          table.sort(wanted.absent)
        end
      end
    end
  end
  for folder, entries in pairs(late) do
    local how = treatment({ path = path.join(folder, entries[1].name), type = 'absent' }, area_of,
      bases, memo, is_shown)
    local is_hidden = verdict.file(resolved, folder).verdict == 'hidden'
    if how.how ~= 'nothing' and not is_hidden then
      want(how)
      -- A star that refuses whole names leaves those that are there, which must be known then. In
      -- a writable place it would take the command's own new folders away.
      local area = how.how == 'mask' and area_of(folder)
      drawn.folders[folder].is_listed = how.how == 'mask' and not (area and area.verb == 'write')
        and has_whole(entries)
    end
  end
  for _, item in ipairs(absent) do
    -- In an empty private place it is made there.
    local how = treatment({ path = item.path, type = 'absent' }, places.areas(drawn.empties),
      bases, {}, is_shown)
    if how.how == 'shadow' and not how.empty then want(how) end
  end
  return drawn
end

return M
