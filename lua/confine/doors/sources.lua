-- The door to policies: finds the files, judges who could have written them, evaluates them.

local catalog = require 'confine.pipeline.catalog'
local core = require 'confine.core'
local folders = require 'confine.values.policy_folders'
local layer = require 'confine.pipeline.layer'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local record = require 'confine.pipeline.record'
local words = require 'confine.words'

local M = {}

--- Bounds on one policy file: its text, the memory, the steps and the seconds of its evaluation.
local LIMITS = {
  text = 1024 * 1024, bytes = 32 * 1024 * 1024, instructions = 20000000, seconds = 2,
}

local KINDS = { 'authorities', 'secrets', 'protected' }

local function wrong(list, from, message, hint)
  list[#list + 1] = problem.new { kind = 'policy_file', from = from, message = message,
    hint = hint }
end

--- The facts that a policy may ask for; a project's policy sees nothing of the environment.
local FOR_ALL = { 'gid', 'home', 'kernel', 'root', 'runtime_dir', 'uid', 'user', 'version' }
local FOR_TRUSTED = { 'cwd', 'env', table.unpack(FOR_ALL) }

local function evaluate(name, text, facts, trust)
  local fact_names, shown = trust == 'project' and FOR_ALL or FOR_TRUSTED, {}
  for _, fact in ipairs(fact_names) do shown[fact] = facts[fact] end
  return core.vm.run { name = name, text = text, words = words.globals(),
    facts = shown, fact_names = fact_names, seconds = LIMITS.seconds, bytes = LIMITS.bytes,
    instructions = LIMITS.instructions }
end

--- errno(3) of what says why a policy is refused.
local ENOENT, EACCES, EOVERFLOW = 2, 13, 75

local READABLE = 'who runs commands must be able to read it: chmod a+r, and a+rx for folders'

local REMEDIES = {
  [EACCES] = READABLE,
  [EOVERFLOW] = 'root of the host is nobody here: is this already a confined run, or another '
    .. 'container of the kind?',
}

--- Reads and evaluates one file of the host.
-- @return result of the evaluator, or nil when a problem was added
local function evaluate_file(file, facts, trust, problems)
  if trust ~= 'project' then
    local trusted, reason, number = core.paths.trust(file)
    if not trusted then
      wrong(problems, file, 'refused: ' .. tostring(reason), REMEDIES[number]
        or 'a policy must be owned by root or you, and be writable by nobody else (chmod go-w), '
          .. 'like each folder above it')
      return nil
    end
  end
  local text, complaint, number =
    core.paths.read(file, LIMITS.text, { follow = trust ~= 'project' })
  if not text then
    wrong(problems, file, complaint, REMEDIES[number])
    return nil
  end
  local result, message = evaluate(file, text, facts, trust)
  if not result then wrong(problems, nil, message) end
  return result
end

--- Is a policy file or folder there? What cannot be looked at, or is a link to nothing (to what is
-- not mounted) or to itself, is a problem: what it refuses would be lost without a word.
-- @return look of it, or nil
local function is_there(where, problems)
  local look, message = core.paths.look(where)
  if not look or look.type == 'unknown' then
    wrong(problems, where, message or look.unknown, READABLE)
    return nil
  end
  if look.loop then
    wrong(problems, where, 'is, or lies behind, a link that leads to itself',
      'remove the link, or mend it')
  elseif look.dangling then
    local above = core.paths.look((path.split(where)))
    if not (above and above.dangling) then
      wrong(problems, where, 'is a link that leads nowhere',
        'make or mount what it leads to, or remove the link')
    end
  end
  return look.type ~= 'absent' and look or nil
end

--- The .lua files of a folder of policies, sorted by name. Nothing confined may add to it.
local function lua_files(input, dir, problems)
  local out = {}
  if not is_there(dir, problems) then return out end
  input.programs[#input.programs + 1] = dir
  local list, complaint, number = core.paths.list(dir)
  if not list and number ~= ENOENT then wrong(problems, dir, complaint, REMEDIES[number]) end
  for _, item in ipairs(list or out) do
    if item.name:sub(-4) == '.lua' and item.name:sub(1, 1) ~= '.' then
      out[#out + 1] = { file = dir .. '/' .. item.name, base = item.name:sub(1, -5) }
    end
  end
  return out
end

--- How far a policy file is to be trusted: by where it really lies, since a link may lead into the
-- writable root. Nothing confined may write it, under whatever name it has; a project's own is
-- protected by a record, which a grant lifts.
-- @return trust, and the name to read it by
local function trust_of(input, file, trust, facts)
  if trust == 'project' then return trust, file end
  local look = core.paths.look(file)
  input.programs[#input.programs + 1] = file
  if look and path.within(look.path, facts.root) then return 'project', look.path end
  return trust, file
end

--- A layer from a file of the host.
local function load_layer(input, file, trust, kind, facts, problems)
  trust, file = trust_of(input, file, trust, facts)
  local result = evaluate_file(file, facts, trust, problems)
  if not result then return end
  if result.returned ~= nil then
    wrong(problems, file, 'returns a value, which means nothing here',
      'a layer is made of statements: net \'none\', file.hide \'/srv/x\'')
  end
  local loaded, complaints =
    layer.load({ name = file, trust = trust, kind = kind }, result.statements)
  for _, item in ipairs(complaints) do problems[#problems + 1] = item end
  if kind == 'profile' then return loaded end
  input.layers[#input.layers + 1] = loaded
end

--- Takes a profile in; one of a known name adds to it.
local function add_profile(input, name, loaded)
  local known = input.profiles[name]
  if not known then
    loaded.name = name
    input.profiles[name] = loaded
    return
  end
  for _, statement in ipairs(loaded.statements) do
    known.statements[#known.statements + 1] = statement
  end
end

--- One built-in record; they are our own, and a spec holds them against their form.
local function read_record(name)
  local env = { record = function(value) return value end }
  local value = assert(load(core.store.read(name), '=' .. name, 't', env))()
  value.from, value.trust = name, 'builtin'
  return value
end

--- The built-in records, file by file.
-- @return map kind -> list of records with `from` and `trust`
local function read_records()
  local out = {}
  for _, kind in ipairs(KINDS) do
    out[kind] = {}
    for _, name in ipairs(core.store.list('policies/' .. kind .. '/')) do
      table.insert(out[kind], read_record(name))
    end
  end
  return out
end

--- The names of an authority are in the catalog; who wants them as they stand in its record, for
-- instance because it is granted, has them read then.
local LATER = { sockets = true, secrets = true }
local COMPLETED = { __index = function(authority, key)
  if not LATER[key] then return nil end
  local whole = read_record(authority.from)
  for name in pairs(LATER) do rawset(authority, name, whole[name] or {}) end
  return rawget(authority, key)
end }

--- Takes the built-in records in: the authorities, and a catalog of all. The program carries both
-- in one chunk (tools/embed.lua).
local function builtin_records(input)
  local together = core.store.load 'policies/records'
  if together then
    local stored = together()
    input.records.authorities, input.catalog = stored.authorities, stored.catalog
    for _, authority in ipairs(stored.authorities) do setmetatable(authority, COMPLETED) end
  else
    local records = read_records()
    input.records.authorities, input.catalog = records.authorities, catalog.build(records)
  end
end

--- A built-in profile, evaluated when it is first asked for.
local function builtin_profile(name, facts, problems)
  local result, message = evaluate(name, core.store.read(name), facts, 'builtin')
  if not result then error(message) end
  local loaded, complaints =
    layer.load({ name = name, trust = 'builtin', kind = 'profile' }, result.statements)
  for _, item in ipairs(complaints) do problems[#problems + 1] = item end
  return loaded
end

--- The built-in profiles that are asked for, and those that they include, and so on; the others by
-- name alone, since a name may be mistyped.
local function builtin_profiles(input, facts, problems)
  local available, wanted, done = {}, {}, {}
  for _, file in ipairs(core.store.list('policies/')) do
    local base = file:match('^policies/([%w_-]+)%.lua$')
    if base then available[base] = file end
  end
  local function want(statements)
    for _, s in ipairs(statements) do
      if s.word == 'include' then
        for _, name in ipairs(s.things) do wanted[#wanted + 1] = name end
      end
    end
  end
  wanted[1] = 'default'
  for _, item in ipairs(input.named) do wanted[#wanted + 1] = item.name end
  for _, item in ipairs(input.layers) do want(item.statements) end
  for _, item in pairs(input.profiles) do want(item.statements) end
  while #wanted > 0 do
    local name = table.remove(wanted)
    if available[name] and not done[name] then
      done[name] = true
      local loaded = builtin_profile(available[name], facts, problems)
      want(loaded.statements)
      add_profile(input, name, loaded)
    end
  end
  input.profile_names = {}
  for name in pairs(available) do input.profile_names[name] = true end
  for name in pairs(input.profiles) do input.profile_names[name] = true end
end

--- Authorities, secrets, protected files and profiles that a site or a user dropped into a folder.
local function drop_ins(input, dir, trust, facts, problems)
  for _, kind in ipairs(KINDS) do
    for _, item in ipairs(lua_files(input, dir .. '/' .. kind, problems)) do
      local own, file = trust_of(input, item.file, trust, facts)
      local result = evaluate_file(file, facts, own, problems)
      if result and #result.statements > 0 then
        wrong(problems, item.file, 'holds statements, which mean nothing in a record',
          'put them into a layer, such as site.lua')
      elseif result then
        local loaded, complaint = record.load(kind,
          { name = item.file, base = item.base, trust = own }, result.returned)
        if loaded then
          input.records[kind][#input.records[kind] + 1] = loaded
        else
          problems[#problems + 1] = complaint
        end
      end
    end
  end
  for _, item in ipairs(lua_files(input, dir .. '/profiles', problems)) do
    local loaded = load_layer(input, item.file, trust, 'profile', facts, problems)
    if loaded then add_profile(input, item.base, loaded) end
  end
end

--- The folders of what always applies: the site's and the user's.
-- @return list of { dir, trust, main = name of its first file without .lua }
local function standing_places(facts)
  local out = { { dir = folders.SITE, trust = 'site', main = 'site' } }
  local user = folders.of_user(facts)
  if user and user ~= folders.SITE then out[2] = { dir = user, trust = 'user', main = 'user' } end
  return out
end

--- The files that always apply: the site's and the user's.
local function standing(input, facts, problems)
  for _, place in ipairs(standing_places(facts)) do
    local look = is_there(place.dir, problems)
    if look and look.type ~= 'dir' then
      wrong(problems, place.dir, 'is not a folder')
    elseif look then
      local trust = path.within(look.path, facts.root) and 'project' or place.trust
      drop_ins(input, place.dir, trust, facts, problems)
      local main = place.dir .. '/' .. place.main .. '.lua'
      if is_there(main, problems) then
        load_layer(input, main, trust, 'layer', facts, problems)
      end
      for _, item in ipairs(lua_files(input, place.dir .. '/' .. place.main .. '.d', problems)) do
        load_layer(input, item.file, trust, 'layer', facts, problems)
      end
    end
  end
end

--- Names in the folders of what always applies that no run reads, such as `authority/` or a file
-- without .lua: somebody believes that they refuse something.
-- @return list of problems
function M.unread(facts)
  local out = {}
  local function note(where, near)
    out[#out + 1] = problem.new { kind = 'unread', from = where, message = 'no run reads this',
      hint = near and ("did you mean '%s'?"):format(near) or nil }
  end
  for _, place in ipairs(standing_places(facts)) do
    local known = { place.main .. '.lua', place.main .. '.d', 'sockets.list', 'profiles',
      table.unpack(KINDS) }
    local is_known = {}
    for _, name in ipairs(known) do is_known[name] = true end
    for _, item in ipairs(core.paths.list(place.dir) or {}) do
      if not is_known[item.name] then
        note(place.dir .. '/' .. item.name, problem.nearest(item.name, known))
      end
    end
    for _, name in ipairs { place.main .. '.d', 'profiles', table.unpack(KINDS) } do
      local dir = place.dir .. '/' .. name
      for _, item in ipairs(core.paths.list(dir) or {}) do
        if item.name:sub(-4) ~= '.lua' or item.name:sub(1, 1) == '.' then
          note(dir .. '/' .. item.name)
        end
      end
    end
  end
  return out
end

--- A file named with -p.
local function given_file(input, name, facts, problems)
  local file = name:sub(1, 1) == '/' and name or path.join(facts.cwd, name)
  local look = core.paths.look(file)
  if not look or look.type == 'absent' then
    wrong(problems, name, 'no such policy file')
    return
  end
  load_layer(input, look.path, 'given', 'layer', facts, problems)
end

--- Reads every policy that applies to a run.
-- @param facts from doors.facts.caller
-- @param options { policies = list of -p arguments, flags = raw statements of the flag layer or
--   nil, project = boolean (read .confine.lua), standing = boolean (default true: site's and
--   user's too) }
-- @return the input of pipeline.merge, and a list of problems
function M.read(facts, options)
  local problems = {}
  local input = { layers = {}, profiles = {}, named = {},
    records = { authorities = {}, secrets = {}, protected = {} },
    programs = { table.unpack(facts.programs or {}) } }
  builtin_records(input)
  if options.standing ~= false then standing(input, facts, problems) end
  for _, name in ipairs(options.policies or {}) do
    if name:find('/', 1, true) or name:sub(-4) == '.lua' then
      given_file(input, name, facts, problems)
    else
      input.named[#input.named + 1] = { name = name, from = '-p ' .. name }
    end
  end
  if options.flags and #options.flags > 0 then
    local loaded, complaints =
      layer.load({ name = 'command line', trust = 'given', kind = 'layer' }, options.flags)
    for _, item in ipairs(complaints) do problems[#problems + 1] = item end
    input.layers[#input.layers + 1] = loaded
  end
  local project = path.join(facts.root, '.confine.lua')
  if options.project ~= false and is_there(project, problems) then
    load_layer(input, project, 'project', 'layer', facts, problems)
  end
  builtin_profiles(input, facts, problems)
  return input, problems
end

return M
