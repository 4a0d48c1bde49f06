-- Records (authorities, secrets, protected files) are pure data; here each is held to its form.

local glob = require 'confine.values.glob'
local problem = require 'confine.values.problem'
local shapes = require 'confine.words.shapes'
local text = require 'confine.values.text'

local M = {}

local FIELDS = {
  authorities = {
    'abstract', 'env', 'grants', 'name', 'needs_secrets', 'owners', 'secrets', 'sockets', 'tcp',
    'variable',
  },
  secrets = { 'files', 'holds', 'name', 'why' },
  protected = {
    'content', 'files', 'first_absent', 'folders', 'name', 'only', 'sockets', 'why',
  },
}

local REQUIRED = { authorities = 'grants', secrets = 'files', protected = 'files' }

--- A name in a field of a protected record that is the last part of none of its files, by which it
-- would be found; the complaint and a hint, or nothing.
local function stray_name(value)
  local lasts = {}
  for i, file in ipairs(value.files or {}) do lasts[i] = file:match '[^/]*$' end
  local function is_last(name)
    for _, last in ipairs(lasts) do
      if glob.match(last, name) then return true end
    end
    return false
  end
  for _, field in ipairs { 'content', 'folders', 'only', 'sockets' } do
    for index, item in pairs(value[field] or {}) do
      local name = type(index) == 'string' and index or item
      if not is_last(name) then
        local near = problem.nearest(name, lasts)
        return ("`%s`: '%s' is the last part of none of its files"):format(field,
          text.cut(name, 60)), near and ("did you mean '%s'?"):format(near) or nil
      end
    end
  end
end

--- Checks one record.
-- @param kind 'authorities'|'secrets'|'protected'
-- @param source { name = file as messages show it, base = its file name without .lua,
--   trust = string }
-- @param value what the file returned
-- @return the record with `from` and `trust`, or nil and a problem
function M.load(kind, source, value)
  local function wrong(message, hint)
    return nil, problem.new { kind = 'bad_record', from = source.name, message = message,
      hint = hint }
  end
  if type(value) ~= 'table' then
    return wrong('the file returns no record',
      "it must end with: return record { name = '" .. source.base .. "', ... }")
  end
  local complaint, hint = shapes.record_fields(value, FIELDS[kind])
  if not complaint and kind == 'protected' then complaint, hint = stray_name(value) end
  if complaint then return wrong(complaint, hint) end
  if value.name ~= source.base then
    return wrong(("its name must be that of its file, '%s'"):format(source.base))
  end
  local needed = REQUIRED[kind]
  -- A dropped-in authority may only add to a known one; other records without files say nothing.
  if value[needed] == nil and (source.trust == 'builtin' or kind ~= 'authorities') then
    return wrong(('`%s` is missing'):format(needed))
  end
  local out = { from = source.name, trust = source.trust }
  for key, item in pairs(value) do out[key] = item end
  return out
end

--- Adds what one part says of a variable. What several say of its kind all counts: each may name
-- an endpoint. The first of those that are trusted decides what a grant sets.
local function add_variable(env, variable, item)
  local known = env[variable]
  if not known or (known.untrusted and not item.untrusted) then
    item.others = known and table.move(known.others or {}, 1, #(known.others or {}), 2, { known })
    env[variable] = item
  elseif known.kind ~= item.kind then
    known.others = known.others or {}
    table.insert(known.others, item)
  end
end

--- The authorities of a run: built-in records, then a site's drop-ins and `authority.add` by name.
-- A later part of a known name adds to it; it never takes anything away.
-- @param parts list of records or of { name, from, <fields> }
-- @return map name -> { name, grants, env = map variable -> { kind, from, untrusted = only
--   a project says so, others = of other kinds }, parts, needs_secrets,
--   from }, and the names sorted
function M.merge_authorities(parts)
  local by_name, names = {}, {}
  for _, part in ipairs(parts) do
    local record = by_name[part.name]
    if not record then
      record = { name = part.name, from = part.from, env = {}, parts = {},
        needs_secrets = part.needs_secrets or false, variable = part.variable }
      by_name[part.name] = record
      names[#names + 1] = part.name
    end
    record.grants = record.grants or part.grants
    record.parts[#record.parts + 1] = part
    for variable, kind in pairs(part.env or {}) do
      add_variable(record.env, variable, { kind = kind, from = part.from,
        untrusted = part.trust == 'project' or nil })
    end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    by_name[name].grants = by_name[name].grants or 'a power that this site named'
  end
  return by_name, names
end

--- All things of one field of an authority ('sockets', 'abstract', 'owners', 'tcp', 'secrets').
-- @param is_grant boolean: only of parts that are trusted, for what a grant hands out
-- @return iterator over thing, from
function M.things(authority, field, is_grant)
  local parts, at, item = authority.parts, 1, 0
  return function()
    while parts[at] do
      item = item + 1
      local is_meant = not (is_grant and parts[at].trust == 'project')
      local thing = is_meant and (parts[at][field] or {})[item]
      if thing then return thing, parts[at].from end
      at, item = at + 1, 0
    end
  end
end

return M
