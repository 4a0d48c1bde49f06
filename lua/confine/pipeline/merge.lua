-- Layers and records become one policy: what is refused by default, what for good, what is granted.
-- The three sets are unions, so neither the order of layers nor another layer can shrink a refusal.

local glob = require 'confine.values.glob'
local problem = require 'confine.values.problem'
local record = require 'confine.pipeline.record'
local words = require 'confine.words'

local M = {}

local SCALARS = { 'net', 'proc', 'ipc', 'tty', 'userns', 'socket.default' }
M.SCALARS = SCALARS

local function rank(name, value)
  for i, candidate in ipairs(words.find(name).values) do
    if candidate == value then return i end
  end
end

--- The stricter of two { value, from }; nil counts as not said. Of equals the lower `from` is
-- named, so that the answer does not depend on the order.
local function stricter(name, a, b)
  if not a or not b then return a or b end
  local ra, rb = rank(name, a.value), rank(name, b.value)
  if ra == rb then return a.from <= b.from and a or b end
  return ra < rb and a or b
end

--- What a list of statements says of each scalar itself.
local function own_scalars(statements)
  local out = {}
  for _, s in ipairs(statements) do
    if words.find(s.word).side == 'scalar' then
      out[s.word] = stricter(s.word, out[s.word], { value = s.things[1], from = s.from })
    end
  end
  return out
end

local function includes(statements)
  local out = {}
  for _, s in ipairs(statements) do
    if s.word == 'include' then
      for _, name in ipairs(s.things) do out[#out + 1] = { name = name, from = s.from } end
    end
  end
  return out
end

--- The profiles that are reached from some names, each once, in a stable order.
local function closure(wanted, profiles, known, problems)
  local out, state = {}, {}
  local function visit(item)
    if state[item.name] then return end
    state[item.name] = true
    local profile = profiles[item.name]
    if not profile then
      local names = {}
      for name in pairs(known) do names[#names + 1] = name end
      table.sort(names)
      local near = problem.nearest(item.name, names)
      problems[#problems + 1] = problem.new { kind = 'unknown_profile', word = 'include',
        from = item.from, message = ("unknown profile '%s'"):format(item.name),
        hint = near and ("did you mean '%s'?"):format(near)
          or 'the profiles are: ' .. table.concat(names, ', ') }
      return
    end
    for _, inner in ipairs(includes(profile.statements)) do visit(inner) end
    out[#out + 1] = profile
  end
  for _, item in ipairs(wanted) do visit(item) end
  table.sort(out, function(a, b) return a.name < b.name end)
  return out
end

--- A profile's scalars: its own value, else the strictest of those it includes.
local function profile_scalars(profile, profiles, seen)
  seen = seen or {}
  if seen[profile.name] then return {} end
  seen[profile.name] = true
  local out, inherited = own_scalars(profile.statements), {}
  for _, inner in ipairs(includes(profile.statements)) do
    if profiles[inner.name] then
      for name, value in pairs(profile_scalars(profiles[inner.name], profiles, seen)) do
        inherited[name] = stricter(name, inherited[name], value)
      end
    end
  end
  seen[profile.name] = nil
  for name, value in pairs(inherited) do out[name] = out[name] or value end
  return out
end

local function strictest(list_of_scalars)
  local out = {}
  for _, scalars in ipairs(list_of_scalars) do
    for _, name in ipairs(SCALARS) do
      if scalars[name] then out[name] = stricter(name, out[name], scalars[name]) end
    end
  end
  return out
end

--- Effective scalars: the strictest a trusted layer writes, else the strictest of the profiles;
-- the project can only tighten that.
local function merge_scalars(base_profiles, profiles, layers)
  local of_profiles, trusted, project = {}, {}, {}
  for _, profile in ipairs(base_profiles) do
    of_profiles[#of_profiles + 1] = profile_scalars(profile, profiles)
  end
  for _, layer in ipairs(layers) do
    local list = layer.trust == 'project' and project or trusted
    list[#list + 1] = own_scalars(layer.statements)
  end
  local said, defaults, tightened = strictest(trusted), strictest(of_profiles), strictest(project)
  local out = {}
  for _, name in ipairs(SCALARS) do
    local value = said[name] or defaults[name]
      or { value = words.find(name).values[1], from = 'built in' }
    out[name] = stricter(name, value, tightened[name])
  end
  return out
end

local function as_list(value)
  if value == nil then return {} end
  return type(value) == 'table' and value or { value }
end

local function add_refusal(refusals, noun, verb, thing, from, authority, how)
  refusals[#refusals + 1] = { noun = noun, verb = verb, thing = thing, from = how.from or from,
    why = how.why or authority.grants, final = how.final or false, authority = authority.name,
    layer = how.layer, except = {} }
end

--- Adds what an authority refuses beyond its sockets and credential files: names and variables.
local function refuse_names(refusals, authority, how)
  for thing, from in record.things(authority, 'abstract') do
    add_refusal(refusals, 'socket', 'refuse', '@' .. thing:gsub('^@', ''), from, authority, how)
  end
  for variable, item in pairs(authority.env) do
    add_refusal(refusals, 'env', 'refuse', variable, item.from, authority, how)
  end
end

--- Adds the sockets and credential files of one part of an authority.
local function refuse_part(refusals, authority, part, how)
  for _, thing in ipairs(part.sockets or {}) do
    add_refusal(refusals, 'socket', 'refuse', thing, part.from, authority, how)
    refusals[#refusals].untrusted = part.trust == 'project' or nil
  end
  for _, thing in ipairs(part.secrets or {}) do
    add_refusal(refusals, 'file', 'hide', thing, part.from, authority, how)
  end
end

local function unknown_authority(name, names, from)
  local near = problem.nearest(name, names)
  return problem.new { kind = 'unknown_authority', word = 'authority', from = from,
    message = ("unknown authority '%s'"):format(name),
    hint = near and ("did you mean '%s'?"):format(near)
      or 'the authorities are: ' .. table.concat(names, ', ') }
end

--- Takes the statements of one layer or profile into the policy.
local function take(policy, layer, is_default, names, problems)
  for _, s in ipairs(layer.statements) do
    local word = words.find(s.word)
    local noun, verb = word.noun, word.verb
    if s.word == 'authority.refuse' or s.word == 'authority.grant' then
      for _, name in ipairs(s.things) do
        local authority = policy.authorities[name]
        if not authority then
          problems[#problems + 1] = unknown_authority(name, names, s.from)
        elseif verb == 'refuse' then
          local how = { from = s.from, why = s.options.why, final = not is_default,
            layer = layer.name }
          refuse_names(policy.refusals, authority, how)
          for _, part in ipairs(authority.parts) do
            refuse_part(policy.refusals, authority, part, how)
          end
        else
          policy.grants[#policy.grants + 1] = { noun = noun, verb = verb, thing = name,
            from = s.from, layer = layer.name }
        end
      end
    elseif s.word == 'env.set' then
      for _, item in ipairs(s.things) do
        policy.grants[#policy.grants + 1] = { noun = 'env', verb = 'set', thing = item[1],
          value = item[2], from = s.from, layer = layer.name, default = is_default }
      end
    elseif s.word == 'limit' then
      for _, item in ipairs(s.things) do
        local old = policy.limit[item[1]]
        if not old or item[2] < old.value or (item[2] == old.value and s.from < old.from) then
          policy.limit[item[1]] = { value = item[2], from = s.from }
        end
      end
    elseif s.word == 'accept' then
      for _, name in ipairs(s.things) do
        if not word.weaknesses[name] then
          local known = {}
          for key in pairs(word.weaknesses) do known[#known + 1] = key end
          table.sort(known)
          local near = problem.nearest(name, known)
          problems[#problems + 1] = problem.new { kind = 'unknown_weakness', word = 'accept',
            from = s.from, message = ("unknown weakness '%s'"):format(name),
            hint = near and ("did you mean '%s'?"):format(near)
              or 'they are: ' .. table.concat(known, ', ') }
        elseif not policy.accept[name] or s.from < policy.accept[name] then
          policy.accept[name] = s.from
        end
      end
    elseif word.side == 'refuse' and s.word ~= 'authority.add' then
      for _, thing in ipairs(s.things) do
        policy.refusals[#policy.refusals + 1] = { noun = noun, verb = verb, thing = thing,
          from = s.from, why = s.options.why, final = not is_default, layer = layer.name,
          except = as_list(s.options.except) }
      end
    elseif word.side == 'grant' and s.word ~= 'include' then
      for _, thing in ipairs(s.things) do
        policy.grants[#policy.grants + 1] = { noun = noun, verb = verb, thing = thing,
          from = s.from, layer = layer.name, keep = s.options.keep, empty = s.options.empty,
          default = is_default }
      end
    end
  end
end

--- Refusals of a site's own records of secrets and protected files, which are defaults like the
-- built-in ones of the catalog; what is judged by what it holds goes to the settings.
local function record_refusals(policy, records)
  for _, kind in ipairs { 'secrets', 'protected' } do
    for _, item in ipairs(records[kind]) do
      for _, file in ipairs(item.files or {}) do
        local list = item.holds and policy.settings or policy.refusals
        list[#list + 1] = { noun = 'file',
          verb = kind == 'secrets' and 'hide' or 'protect', thing = file, from = item.from,
          why = item.why, folders = item.folders, content = item.content,
          sockets = item.sockets, only = item.only, first_absent = item.first_absent,
          final = false, except = {} }
      end
    end
  end
end

--- Our own programs decide how the next command is confined, so nothing confined may write them.
local function protect_programs(policy, programs)
  for _, where in ipairs(programs) do
    policy.refusals[#policy.refusals + 1] = { noun = 'file', verb = 'protect',
      thing = glob.literal(where), from = 'built in', why = 'it confines the next command',
      final = true, except = {} }
  end
end

--- Merges layers, profiles and records into a policy.
-- @param input { layers = list of layers, profiles = map name -> profile layer,
--   named = list of { name, from } of profiles the run asks for, profile_names = set of all names
--   or nil, records = { authorities, secrets, protected = lists of records },
--   catalog = of the built-in records (pipeline.catalog), programs = paths of our own programs }
-- @return policy { version, profiles, layers, site_includes = list of { name, from, scalars =
--   values of the profile }, <scalars>, refusals, settings = a site's refusals of what is
--   hidden while it holds a login, grants, limit, accept, authorities }, and a list of problems
function M.merge(input)
  local problems = {}
  local wanted = {}
  for _, item in ipairs(input.named) do wanted[#wanted + 1] = item end
  local asked = #wanted
  for _, layer in ipairs(input.layers) do
    for _, item in ipairs(includes(layer.statements)) do
      wanted[#wanted + 1] = item
      if layer.trust == 'given' then asked = asked + 1 end
    end
  end
  -- A site that includes a profile adds to what its users asked for; it is no base on its own.
  if asked == 0 then table.insert(wanted, 1, { name = 'default', from = 'built in' }) end
  local reached = closure(wanted, input.profiles, input.profile_names or input.profiles, problems)

  local parts = {}
  for _, item in ipairs(input.records.authorities) do parts[#parts + 1] = item end
  local sources = {}
  for _, profile in ipairs(reached) do sources[#sources + 1] = profile end
  for _, layer in ipairs(input.layers) do sources[#sources + 1] = layer end
  for _, layer in ipairs(sources) do
    for _, s in ipairs(layer.statements) do
      if s.word == 'authority.add' then
        local part = { name = s.things[1], from = s.from, trust = layer.trust, added = true }
        for key, value in pairs(s.options.fields) do part[key] = value end
        parts[#parts + 1] = part
      end
    end
  end
  local authorities, names = record.merge_authorities(parts)

  local policy = { version = 1, profiles = {}, layers = {}, site_includes = {}, refusals = {},
    grants = {}, limit = {}, accept = {}, authorities = authorities, authority_names = names,
    catalog = input.catalog, settings = {} }
  for _, name in ipairs(names) do
    refuse_names(policy.refusals, authorities[name], {})
    for _, part in ipairs(authorities[name].parts) do
      -- The built-in ones are in the catalog.
      if part.trust ~= 'builtin' or part.added then
        refuse_part(policy.refusals, authorities[name], part, {})
      end
    end
  end
  record_refusals(policy, input.records)
  protect_programs(policy, input.programs or {})
  for _, profile in ipairs(reached) do
    policy.profiles[#policy.profiles + 1] = profile.name
    take(policy, profile, true, names, problems)
  end
  for _, layer in ipairs(input.layers) do
    policy.layers[#policy.layers + 1] = { name = layer.name, trust = layer.trust }
    for _, item in ipairs(layer.trust == 'site' and includes(layer.statements) or {}) do
      local profile = input.profiles[item.name]
      policy.site_includes[#policy.site_includes + 1] = { name = item.name, from = item.from,
        scalars = profile and profile_scalars(profile, input.profiles) or {} }
    end
    take(policy, layer, false, names, problems)
  end
  local roots = {}
  for _, item in ipairs(wanted) do roots[#roots + 1] = input.profiles[item.name] end
  for name, value in pairs(merge_scalars(roots, input.profiles, input.layers)) do
    policy[name] = value
  end
  M.check_sets(policy, problems)
  return policy, problems
end

--- Two different values for one variable, both from layers (or both from profiles), are an error.
function M.check_sets(policy, problems)
  local said = {}
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'env' and grant.verb == 'set' then
      local key = (grant.default and 'profile ' or 'layer ') .. grant.thing
      local other = said[key]
      if other and other.value ~= grant.value then
        problems[#problems + 1] = problem.new { kind = 'conflict', word = 'env.set',
          from = grant.from, message = ("%s is set to '%s' here and to '%s' at %s")
            :format(grant.thing, grant.value, other.value, other.from),
          hint = 'keep one of the two lines' }
      end
      said[key] = other or grant
    end
  end
end

return M
