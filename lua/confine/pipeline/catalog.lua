-- The built-in records by place: what they refuse, found by the first name below a base folder.
-- A machine has a small part of the thousand names that the records know. A run lists the base
-- folders (the home, /run, ...) once and looks closer only at names that begin with one that is
-- there; the others are refused by that first name, whatever comes later below it.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

local NOTHING = {}

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

--- The one name that a pattern of sets of one character means (`.claud[e]`: only what is there);
-- nil where it means others too.
local function one_name(top)
  local name = top:gsub('%[([^!^%]])%]', '%1')
  return not glob.is_glob(name) and name or nil
end

--- What holds of one base, from a map first name -> packed entries ('' for the base itself).
local function base_of(base, tops)
  local out, plain = { always = '', names = {}, packed = {}, idle = {}, held = {} }, {}
  local order = {}
  for top in pairs(tops) do order[#order + 1] = top end
  table.sort(order)
  for _, top in ipairs(order) do
    local packed, name = tops[top], one_name(top)
    local only_protects = not packed:find '^[^Pp]' and not packed:find '\n[^Pp]'
    local protects = packed:find '^[Pp]' or packed:find '\n[Pp]'
    local is_pattern = name ~= top
    -- What is protected in the root is so also before it is there.
    local is_made = base == '.' and only_protects and not is_pattern
    if top == '' or not name or is_made or (is_pattern and not only_protects) then
      out.always = out.always .. packed
    else
      plain[#plain + 1] = { name = name, packed = packed, is_idle = only_protects,
        is_held = protects ~= nil }
    end
  end
  table.sort(plain, function(one, other) return one.name < other.name end)
  for i, item in ipairs(plain) do
    out.names[i], out.packed[i] = item.name, item.packed
    out.idle[i], out.held[i] = item.is_idle, item.is_held
  end
  return out
end

--- Builds the catalog of some records.
-- @param records { authorities, secrets, protected = lists of records with name and from }
-- @return catalog { settings = map base -> list of refusals of what is judged by what it holds,
--   each with its `top`, the first name below the base; bases = map base -> { always = packed
--   entries of the base itself, of patterns, of what is made in the root; names = sorted first
--   names; of each, by its number, packed = the entries below it, idle = all is only protected, so
--   that none of it need be refused while it is absent, held = something of it is protected, so
--   that it must be so also while it is absent where it could be made }, said = map file -> { why,
--   authority } }: entries are strings, so that a program can carry them cheaply
function M.build(records)
  local bases, said, settings = {}, {}, {}
  local function add(verb, thing, from)
    assert(path.is_plain(thing, 2), from .. ': not in normal form: ' .. thing)
    local base, top = place(thing)
    bases[base] = bases[base] or {}
    local tops = bases[base]
    top = top or ''
    local code = glob.is_glob(thing) and CODES[verb]:upper() or CODES[verb]
    local packed = code .. '\t' .. from .. '\t' .. thing .. '\n'
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
        sockets = item.sockets, only = item.only, first_absent = item.first_absent }
      for _, thing in ipairs(item.files or {}) do
        if item.holds then
          local base, top = place(thing)
          settings[base] = settings[base] or {}
          table.insert(settings[base], { noun = 'file', verb = verb, thing = thing, top = top,
            from = item.from, why = item.why })
        else
          add(verb, thing, item.from)
        end
      end
    end
  end
  for base, tops in pairs(bases) do bases[base] = base_of(base, tops) end
  return { bases = bases, said = said, settings = settings }
end

--- What all entries of one file and kind have in common, as the metatable that gives it to them.
local function common(catalog, code, from)
  local said = catalog.said[from]
  local known = said[code]
  if not known then
    local verb = VERBS[code:lower()]
    known = { __index = { noun = verb[1], verb = verb[2], from = from, why = said.why,
      authority = said.authority, folders = said.folders, content = said.content,
      sockets = said.sockets, only = said.only, first_absent = said.first_absent, final = false,
      except = NOTHING, is_glob = code ~= code:lower() } }
    said[code] = known
  end
  return known
end

--- Unpacks entries onto a list of refusals. They are many hundred, so each holds its own name only.
local function unpack_entries(catalog, packed, out)
  for code, from, thing in packed:gmatch('(%a)\t([^\t]+)\t([^\n]+)\n') do
    out[#out + 1] = setmetatable({ thing = thing }, common(catalog, code, from))
  end
end

--- Unpacks all entries of one base onto a list of refusals.
local function unpack_base(catalog, base, out)
  local known = catalog.bases[base]
  unpack_entries(catalog, known.always, out)
  for _, packed in ipairs(known.packed) do unpack_entries(catalog, packed, out) end
end

--- Every refusal of the catalog, in a stable order.
function M.all(catalog)
  local out, bases = {}, {}
  for base in pairs(catalog.bases) do bases[#bases + 1] = base end
  table.sort(bases)
  for _, base in ipairs(bases) do unpack_base(catalog, base, out) end
  return out
end

--- What the catalog protects in the writable root, by names relative to it.
-- @return list of refusals
function M.relative(catalog)
  local all, out = {}, {}
  if catalog.bases['.'] then unpack_base(catalog, '.', all) end
  for _, entry in ipairs(all) do
    if entry.verb == 'protect' then out[#out + 1] = entry end
  end
  return out
end

--- The base folders of a catalog on this host, for the facts to list.
-- @return list of absolute paths
function M.folders(catalog, facts)
  local out = {}
  for base in pairs(catalog.bases) do
    for _, folder in ipairs(path.expand(base, facts, true)) do out[#out + 1] = folder end
  end
  table.sort(out)
  return out
end

--- Is a grant one that leads somewhere of its own? The writable root and the private caches of the
-- profiles do not.
local function is_own(grant)
  return not grant.default
    or (grant.noun == 'file' and grant.verb == 'write' and grant.thing ~= '.')
end

--- What a grant names: a path of its own, or what the records of its authority name.
local function things_of(policy, grant)
  if grant.noun == 'file' or grant.noun == 'socket' then return { grant.thing } end
  local out = {}
  if grant.noun ~= 'authority' then return out end
  for _, part in ipairs(policy.authorities[grant.thing].parts) do
    for _, field in ipairs { 'sockets', 'secrets' } do
      for _, thing in ipairs(part[field] or NOTHING) do out[#out + 1] = thing end
    end
  end
  return out
end

--- The folder that a path or glob begins with, before its first star; whole, when it has none.
local function beginning(at)
  local first = glob.parts(at)[1]
  return glob.plain(first and first.folder or at)
end

--- What the facts must look up before M.pick, so that it knows where the grants of layers lead.
-- @return list of absolute paths, and whether a grant has a star: that may lead anywhere
function M.ways(policy, facts)
  local out, has_star = {}, false
  for _, grant in ipairs(policy.grants) do
    for _, thing in ipairs(is_own(grant) and things_of(policy, grant) or NOTHING) do
      if thing:byte(1) ~= 64 then
        for _, at in ipairs(path.expand(thing, facts)) do
          has_star = has_star or (grant.noun ~= 'authority' and glob.is_glob(at))
          out[#out + 1] = glob.literal(beginning(at))
        end
      end
    end
  end
  return out, has_star
end

--- Where grants lead: names on their ways need a closer look though they are absent.
-- @return map folder -> set of names, and the canonical paths of the files and folders that layers
--   grant
local function led_to(policy, facts)
  local touched, places = {}, {}
  local function lead(at)
    while at do
      local folder, name = path.split(at)
      if not folder or (touched[folder] and touched[folder][name]) then return end
      touched[folder] = touched[folder] or {}
      touched[folder][name] = true
      at = folder
    end
  end
  for _, grant in ipairs(policy.grants) do
    for _, thing in ipairs(things_of(policy, grant)) do
      for _, at in ipairs(thing:byte(1) == 64 and NOTHING or path.expand(thing, facts)) do
        local from = beginning(at)
        lead(from)
        for _, look in ipairs(facts.looks and facts.looks[glob.literal(from)] or NOTHING) do
          lead(look.path)
          if grant.noun == 'file' and is_own(grant) then places[#places + 1] = look.path end
        end
      end
    end
  end
  return touched, places
end

--- What a thing of the catalog stands for, from what its base does: path.expand in no time.
local function expansion(thing, base, folders)
  local first = base:byte(1)
  if first == 47 then return { thing } end
  local rest, out = first == 46 and '/' .. thing or thing:sub(#base + 1), {}
  for i, folder in ipairs(folders) do
    out[i] = (folder == '/' and rest ~= '') and rest or folder .. rest
  end
  return out
end

--- The first names that need a closer look in some folders: those that are there in one of them,
-- and those that grants lead through.
-- @return set of names, or nil where one folder cannot be listed: then all need it
local function near(folders, facts, touched)
  local known = facts.bases[folders[1]]
  local led = touched[folders[1]] or touched[known.look.path]
  if #folders == 1 and not led then return known.names end
  local out = {}
  for _, folder in ipairs(folders) do
    known = facts.bases[folder]
    if not known.names then return nil end
    for name in pairs(known.names) do out[name] = true end
    for name in pairs(touched[folder] or NOTHING) do out[name] = true end
    for name in pairs(touched[known.look.path] or NOTHING) do out[name] = true end
  end
  return out
end

--- Does a path lie in the writable root or in a place that is granted?
local function is_in(where, facts, places)
  if path.within(where, facts.root) then return true end
  for _, granted in ipairs(places) do
    if path.within(where, granted) then return true end
  end
  return false
end

--- Does one of some base folders lie there, or a link on the way to it? What is protected in such a
-- folder must be so also while it is absent, and the link must stay.
local function lies_in(folders, facts, places)
  for _, folder in ipairs(folders) do
    local look = facts.bases[folder].look
    if is_in(look.path or folder, facts, places) then return true end
    for _, link in ipairs(look.links or NOTHING) do
      if is_in(link, facts, places) then return true end
    end
  end
  return false
end

--- All that is judged by what it holds.
-- @return list of lists of refusals
function M.all_settings(catalog)
  local out = {}
  for _, list in pairs(catalog and catalog.settings or NOTHING) do out[#out + 1] = list end
  return out
end

--- What may be there of that which is judged by what it holds.
-- @param facts host facts with bases
-- @return list of { refusal, patterns = absolute paths and globs }
function M.settings(catalog, facts)
  local out = {}
  for base, list in pairs(catalog.settings) do
    local folders = path.expand(base, facts, true)
    local names = #folders == 1 and (facts.bases[folders[1]] or NOTHING).names
    for _, refusal in ipairs(#folders > 0 and list or NOTHING) do
      local top = refusal.top
      if not (names and top) or names[top] or glob.is_glob(top) then
        out[#out + 1] = { refusal = refusal, patterns = expansion(refusal.thing, base, folders) }
      end
    end
  end
  return out
end

--- The refusals that need a closer look on this host, and the first names that are absent.
-- @param policy merged policy with its catalog
-- @param facts host facts; facts.bases: map folder -> { look, names = set of what is in it, or nil
--   when it cannot be listed }; facts.looks with those of M.ways
-- @return list of refusals, and list of { look = of a base folder, names = sorted, what is not in
--   it }
function M.pick(policy, facts)
  local catalog = policy.catalog
  local touched, places = led_to(policy, facts)
  local picked, absent = {}, {}
  for base, known in pairs(catalog.bases) do
    local folders = path.expand(base, facts, true)
    if #folders > 0 then
      local at = #picked
      unpack_entries(catalog, known.always, picked)
      local names, packed, idle, held = known.names, known.packed, known.idle, known.held
      local present, missing = near(folders, facts, touched), {}
      local is_writable = base ~= '.' and lies_in(folders, facts, places)
      for i = 1, #names do
        local top = names[i]
        if not present or present[top] or (is_writable and held[i]) then
          unpack_entries(catalog, packed[i], picked)
        elseif not idle[i] then
          missing[#missing + 1] = top
        end
      end
      for i = 1, #missing > 0 and #folders or 0 do
        absent[#absent + 1] = { look = facts.bases[folders[i]].look, names = missing }
      end
      for i = at + 1, #picked do
        picked[i].expansion = expansion(picked[i].thing, base, folders)
      end
    end
  end
  return picked, absent
end

return M
