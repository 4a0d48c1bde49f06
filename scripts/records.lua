--- Loads the authority and secrets records that discovery goes by, built-in and the site's.
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local text = require 'confine.values.text'

local M = {}

--- Largest record file, in bytes, and most steps that it may take.
local MAX_BYTES, MAX_STEPS = 262144, 1000000

--- Runs a record file in the program's own closed environment, or where that is not to be had in an
-- environment of nothing but `record`.
local function evaluate(name, content, core)
  if core and core.vm then
    local outcome, message = core.vm.run { name = name, text = content, words = {}, seconds = 2,
      bytes = 16 * 1024 * 1024, instructions = 10 * MAX_STEPS }
    if not outcome then return nil, message end
    return outcome.returned
  end
  local words = { record = function(value) return value end }
  local chunk, problem = load(content, '=' .. name, 't', words)
  if not chunk then return nil, problem end
  local thread = coroutine.create(chunk)
  debug.sethook(thread, function()
    error(name .. ': the record takes too long', 0)
  end, '', MAX_STEPS)
  local done, value = coroutine.resume(thread)
  if not done then return nil, tostring(value) end
  return value
end

local function strings(list)
  local out = {}
  for _, item in ipairs(type(list) == 'table' and list or {}) do
    if type(item) == 'string' then out[#out + 1] = item end
  end
  return out
end

local FIELDS = { 'sockets', 'abstract', 'tcp', 'owners', 'secrets', 'files' }

--- Adds one file's record to those that are known; a later one of the same name only adds.
local function take(by_name, name, value)
  local known = by_name[name] or { name = name, env = {} }
  by_name[name] = known
  for _, field in ipairs(FIELDS) do
    known[field] = known[field] or {}
    for _, item in ipairs(strings(value[field])) do known[field][#known[field] + 1] = item end
  end
  for variable, kind in pairs(type(value.env) == 'table' and value.env or {}) do
    if type(variable) == 'string' and type(kind) == 'string' then known.env[variable] = kind end
  end
end

local function sorted(by_name)
  local list = {}
  for _, record in pairs(by_name) do list[#list + 1] = record end
  table.sort(list, function(a, b) return a.name < b.name end)
  return list
end

--- Loads all records that a host has.
-- @param sources list of { name = text for messages, base = file name without .lua, kind =
--   'authorities'|'secrets', text }, in order; a later one of a known name adds to it
-- @param core confine.core, or nil
-- @return { authorities, secrets: lists of { name, env, sockets, ... } by name }, problem lines
function M.load(sources, core)
  local by_kind = { authorities = {}, secrets = {} }
  local problems = {}
  for _, source in ipairs(sources) do
    local value, problem
    if #source.text > MAX_BYTES then
      problem = ('%s: larger than %d bytes'):format(source.name, MAX_BYTES)
    else
      value, problem = evaluate(source.name, source.text, core)
    end
    if type(value) == 'table' then
      take(by_kind[source.kind], source.base, value)
    else
      problem = problem or source.name .. ': the file returns no record'
      problems[#problems + 1] = text.cut(problem, 400)
    end
  end
  return { authorities = sorted(by_kind.authorities), secrets = sorted(by_kind.secrets) }, problems
end

--- Every variable that carries an endpoint.
-- @return list of { authority, name, kind }, by authority and name
function M.variables(records)
  local list = {}
  for _, record in ipairs(records.authorities) do
    for name, kind in pairs(record.env) do
      list[#list + 1] = { authority = record.name, name = name, kind = kind }
    end
  end
  table.sort(list, function(a, b)
    if a.authority ~= b.authority then return a.authority < b.authority end
    return a.name < b.name
  end)
  return list
end

--- Every variable that says where a record's credentials lie, as `$XAUTHORITY` or
-- `$DOCKER_CONFIG/config.json` in its `secrets`; where users keep things (XDG) is left out.
-- @return list of { authority, name, below = '' or '/...' }, by authority, name and below
function M.keys(records)
  local list = {}
  for _, record in ipairs(records.authorities) do
    for _, thing in ipairs(record.secrets) do
      local name, below = thing:match('^%$([%a_][%w_]*)(.*)$')
      if name and not name:find('^XDG_') and name ~= 'HOME' then
        list[#list + 1] = { authority = record.name, name = name, below = below }
      end
    end
  end
  table.sort(list, function(a, b)
    if a.authority ~= b.authority then return a.authority < b.authority end
    if a.name ~= b.name then return a.name < b.name end
    return a.below < b.below
  end)
  return list
end

--- Which authority an executable's sockets belong to.
-- @return map base name, or the name of its process -> authority (of several records that name it,
--   the first by name)
function M.owners(records)
  local by_owner = {}
  for _, record in ipairs(records.authorities) do
    for _, owner in ipairs(record.owners) do
      -- The kernel keeps 15 bytes of a process's name (proc(5), "comm").
      for _, name in ipairs { owner, owner:sub(1, 15) } do
        by_owner[name] = by_owner[name] or record.name
      end
    end
  end
  return by_owner
end

--- The patterns that some things of records stand for on this host.
local function expanded(records, field, facts)
  local list = {}
  for _, record in ipairs(records) do
    for _, thing in ipairs(record[field]) do
      for _, pattern in ipairs(path.expand(thing, facts)) do list[#list + 1] = pattern end
    end
  end
  return list
end

local function plain(records, field)
  local list = {}
  for _, record in ipairs(records) do
    table.move(record[field], 1, #record[field], #list + 1, list)
  end
  return list
end

local function any(list, thing)
  for _, pattern in ipairs(list) do
    if pattern == thing or glob.match(pattern, thing) then return true end
  end
  return false
end

--- Makes the test for what the records refuse already.
-- @param facts { homes, runtime_dirs, env, uid, user }
-- @return function(finding as scripts/found.lua describes it) -> boolean
function M.coverage(records, facts)
  local sockets = expanded(records.authorities, 'sockets', facts)
  local secrets = expanded(records.authorities, 'secrets', facts)
  local files = expanded(records.secrets, 'files', facts)
  table.move(files, 1, #files, #secrets + 1, secrets)
  local abstract, tcp = plain(records.authorities, 'abstract'), plain(records.authorities, 'tcp')
  return function(finding)
    if finding.tcp then return any(tcp, finding.tcp) end
    if finding.abstract or finding.abstract_glob then
      return any(abstract, finding.abstract or finding.abstract_glob)
    end
    local at = finding.secret or finding.secret_glob
    if not at then return any(sockets, finding.path or finding.glob) end
    while at do
      if any(secrets, at) then return true end
      at = path.split(at)
    end
    return false
  end
end

return M
