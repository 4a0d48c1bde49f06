-- The built-in records by place: what they refuse, found by the first name below a base folder.
-- A machine has a small part of the thousand names that the records know. A run lists the base
-- folders (the home, /run, ...) once and looks closer only at names that begin with one that is
-- there; the others are refused by that first name, whatever comes later below it.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

local FIXED = { '/var/run', '/run', '/tmp', '/etc', '/var/lib', '/var' }

--- The base folder of a thing as policies write it, and the first name below it (nil: the base
-- itself).
local function place(thing)
  local base, rest = thing:match('^([~$][%w_]*)/(.+)$')
  if not base and thing:find('^[~$][%w_]*$') then return thing end
  if not base and thing:byte(1) ~= 47 then base, rest = '.', thing end
  for _, folder in ipairs(FIXED) do
    if base then break end
    if path.below(thing, folder) then base, rest = folder, thing:sub(#folder + 2) end
  end
  if not base then return '/', thing:match('^/([^/]+)') end
  if base == '$XDG_RUNTIME_DIR' or base == '~' or base == '.' or base:byte(1) == 47
    or base:find('^%$XDG_') then
    return base, rest:match('^[^/]+')
  end
  -- Another variable: seldom set, so all that is below it goes together.
  return base
end

local CODES = { hide = 'h', protect = 'p', refuse = 'r' }
local VERBS = { h = { 'file', 'hide' }, p = { 'file', 'protect' }, r = { 'socket', 'refuse' } }

--- Builds the catalog of some records.
-- @param records { authorities, secrets, protected = lists of records with name and from }
-- @return catalog { bases = map base -> map first name ('' for the base itself) -> packed entries,
--   said = map file -> { why, authority } }: strings, so that a program can carry it cheaply
function M.build(records)
  local bases, said = {}, {}
  local function add(verb, thing, from)
    local base, top = place(thing)
    bases[base] = bases[base] or {}
    local tops = bases[base]
    top = top or ''
    local packed = CODES[verb] .. '\t' .. from .. '\t' .. thing .. '\n'
    -- What is named itself comes first: it says how the name is refused while it is absent.
    local is_itself = thing == base .. '/' .. top or thing == top
    tops[top] = is_itself and packed .. (tops[top] or '') or (tops[top] or '') .. packed
  end
  for _, item in ipairs(records.authorities) do
    said[item.from] = { why = item.grants, authority = item.name }
    for _, thing in ipairs(item.sockets or {}) do add('refuse', thing, item.from) end
    for _, thing in ipairs(item.secrets or {}) do add('hide', thing, item.from) end
  end
  for kind, verb in pairs { secrets = 'hide', protected = 'protect' } do
    for _, item in ipairs(records[kind]) do
      said[item.from] = { why = item.why, folders = item.folders, content = item.content,
        only = item.only, unless = item.unless }
      for _, thing in ipairs(item.files or {}) do add(verb, thing, item.from) end
    end
  end
  return { bases = bases, said = said }
end

--- Unpacks entries onto a list of refusals.
local function unpack_entries(catalog, packed, out)
  for code, from, thing in packed:gmatch('(%l)\t([^\t]+)\t([^\n]+)\n') do
    local verb, said = VERBS[code], catalog.said[from]
    out[#out + 1] = { noun = verb[1], verb = verb[2], thing = thing, from = from, why = said.why,
      authority = said.authority, folders = said.folders, content = said.content,
      only = said.only, unless = said.unless, final = false, except = {} }
  end
end

--- Every refusal of the catalog, in a stable order.
function M.all(catalog)
  local out, bases = {}, {}
  for base in pairs(catalog.bases) do bases[#bases + 1] = base end
  table.sort(bases)
  for _, base in ipairs(bases) do
    local tops = {}
    for top in pairs(catalog.bases[base]) do tops[#tops + 1] = top end
    table.sort(tops)
    for _, top in ipairs(tops) do unpack_entries(catalog, catalog.bases[base][top], out) end
  end
  return out
end

--- The base folders of a catalog on this host, for the facts to list.
-- @return list of absolute paths
function M.folders(catalog, facts)
  local out = {}
  for base in pairs(catalog.bases) do
    for _, folder in ipairs(path.expand(base, facts)) do out[#out + 1] = folder end
  end
  table.sort(out)
  return out
end

--- Names that grants lead through, by folder: these need a closer look though they are absent.
-- @return map folder -> set of names
local function touched_by(policy, facts)
  local seen, out = {}, {}
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'file' or grant.noun == 'socket' then
      for _, at in ipairs(path.expand(grant.thing, facts)) do
        while at and not seen[at] do
          seen[at] = true
          local folder, name = path.split(at)
          if folder then
            out[folder] = out[folder] or {}
            out[folder][name] = true
          end
          at = folder
        end
      end
    end
  end
  return out
end

--- The refusals that need a closer look on this host, and the first names that are absent.
-- @param policy merged policy with its catalog
-- @param facts host facts; facts.bases: map folder -> { look, names = set of what is in it, or nil
--   when it cannot be listed }
-- @return list of refusals, and list of { look = of a base folder, names = what is not in it }
function M.pick(policy, facts)
  local catalog, touched = policy.catalog, touched_by(policy, facts)
  local picked, absent = {}, {}
  local nothing, is_protect_only = {}, '^p[^\n]*\n$'
  for base, tops in pairs(catalog.bases) do
    local folders = path.expand(base, facts)
    local is_whole = base == '.'
    local known, near, missing = {}, {}, {}
    for i, folder in ipairs(folders) do
      known[i] = facts.bases[folder]
      near[i] = touched[folder] or nothing
      is_whole = is_whole or not known[i].names
    end
    for top, packed in pairs(tops) do
      local closer = is_whole or top == '' or glob.is_glob(top)
      for i = 1, closer and 0 or #folders do
        closer = closer or known[i].names[top] or near[i][top]
      end
      if closer then
        if #folders > 0 then unpack_entries(catalog, packed, picked) end
      elseif not packed:find(is_protect_only) then
        missing[#missing + 1] = top
      end
    end
    if #missing > 0 then
      table.sort(missing)
      for i = 1, #folders do absent[#absent + 1] = { look = known[i].look, names = missing } end
    end
  end
  return picked, absent
end

return M
