--- Collects what one discovery source finds: endpoints as findings, and problems as lines.
--
-- A finding is a plain table { authority, source, detail = or nil } with one of
--   path           absolute path of a socket, there or not
--   glob           of such paths
--   abstract       abstract name without the leading NUL; abstract_glob likewise
--   tcp            'host:port'
--   secret         path of a file or folder that holds credentials; secret_glob likewise
-- and pid where a process of this moment is behind it. `source` says where it was found in words
-- that stay the same from run to run; `detail` may not.
local endpoint = require 'confine.values.endpoint'
local endpoints = require 'confine.endpoints'
local glob = require 'confine.values.glob'
local json = require 'confine.values.json'
local path = require 'confine.values.path'
local text = require 'confine.values.text'

local M = {}
M.__index = M

--- Largest settings file that is read, in bytes.
M.MAX_FILE = 1024 * 1024
--- Most problems that are kept from one source; the rest are counted.
M.MAX_PROBLEMS = 50
--- Most names that a glob may give.
M.MAX_NAMES = 4096

--- Starts an empty collection over a host (scripts/host.lua says what a host offers).
function M.new(host)
  return setmetatable({ host = host, findings = {}, problems = {}, left_out = 0 }, M)
end

--- Where the caller's own settings lie: a variable that names no absolute path counts as unset.
function M.config_home(host)
  local named = host.env.XDG_CONFIG_HOME
  return named and named:sub(1, 1) == '/' and named or host.home .. '/.config'
end

--- Notes a problem, in one visible line.
function M:problem(message)
  if #self.problems < M.MAX_PROBLEMS then
    self.problems[#self.problems + 1] = text.visible(text.cut(message:sub(1, 1000), 400))
  else
    self.left_out = self.left_out + 1
  end
end

--- Notes a finding.
function M:add(finding)
  finding.source = text.visible(text.cut(finding.source:sub(1, 200), 80))
  self.findings[#self.findings + 1] = finding
end

--- What readers of endpoint kinds need to know, for the caller or another process's environment.
-- @param env table by name, or nil for the caller's own
function M:facts(env)
  local host = self.host
  if not env then
    return { uid = host.uid, user = host.user, home = host.home, runtime_dir = host.runtime_dir,
      env = host.env }
  end
  return { uid = host.uid, user = env.USER or host.user, home = env.HOME or host.home,
    runtime_dir = env.XDG_RUNTIME_DIR or host.runtime_dir, env = env }
end

--- What the expansion of `~` and `$VARIABLE` in records and lists needs to know.
function M:policy_facts()
  local host = self.host
  return { homes = host.homes, runtime_dirs = host.runtime_dirs, env = host.env, uid = host.uid,
    user = host.user }
end

--- Adds a socket's path, there or not; where a file or a folder is, nobody can connect.
function M:path(authority, where, source, more)
  local kind = self.host.type(where)
  if kind == 'file' or kind == 'dir' then return end
  local finding = { authority = authority, source = source, path = where }
  for key, value in pairs(more or {}) do finding[key] = value end
  self:add(finding)
end

local TAKEN = { 'glob', 'abstract', 'abstract_glob', 'tcp' }

--- Reads a value as an endpoint kind and adds what it names; what lies behind ssh, a descriptor or
-- a program is no endpoint of this host and is left out.
-- @param authority, kind, value strings
-- @param source string: where the value stands
-- @param facts as M:facts gives them, or nil
-- @param more table of further fields of the findings, or nil
function M:endpoint(authority, kind, value, source, facts, more)
  local list, problem = endpoints.read(kind, value, facts or self:facts())
  if problem then self:problem(source .. ': ' .. problem) end
  self:endpoints(authority, list or {}, source, more)
end

--- Adds endpoints that were read already.
function M:endpoints(authority, list, source, more)
  for _, found in ipairs(list) do
    if found.path then
      self:path(authority, found.path, source, more)
    else
      for _, key in ipairs(TAKEN) do
        if found[key] then
          local finding = { authority = authority, source = source, [key] = found[key] }
          for name, field in pairs(more or {}) do finding[name] = field end
          self:add(finding)
        end
      end
    end
  end
end

--- Adds what one of the caller's variables names, when it is set.
function M:variable(authority, name, kind)
  local value = self.host.env[name]
  if value then self:endpoint(authority, kind, value, 'variable ' .. name) end
end

--- Adds the credentials that a variable leads to: what a record has as `$NAME/...`.
-- @param key as records.keys gives it
-- @param value string: what the variable holds
function M:key(key, value, source)
  local fine = endpoint.check(value)
  if not fine or value:sub(1, 1) ~= '/' or #value > endpoint.MAX_PATH then return end
  if key.below == '' then
    self:add { authority = key.authority, secret = path.normal(value), source = source }
  else
    local dir = endpoint.literal(path.normal(value))
    self:add { authority = key.authority, secret_glob = dir .. key.below, source = source }
  end
end

--- Reads a settings file; a file that is not there is no problem.
-- @return its text, or nil
function M:read(file)
  local content, reason = self.host.read(file, M.MAX_FILE)
  if not content and reason then self:problem(('%s: %s'):format(endpoint.shown(file), reason)) end
  return content
end

--- Reads a JSON file.
-- @return the table it holds, or nil
function M:json(file)
  local content = self:read(file)
  if not content then return nil end
  local value, reason = json.decode(content)
  if type(value) == 'table' then return value end
  self:problem(('%s: %s'):format(endpoint.shown(file), reason or 'not a JSON object'))
  return nil
end

--- The names in a folder, sorted; none where it is absent.
function M:list(dir)
  local names, reason = self.host.list(dir)
  if reason then self:problem(('%s: %s'):format(endpoint.shown(dir), reason)) end
  return names or {}
end

--- The existing paths that a glob means, sorted; components without a star are not listed.
-- @param pattern absolute glob
-- @return list of paths, and true when every folder on the way could be read
function M:glob(pattern)
  if pattern:sub(1, 1) ~= '/' then return {}, false end
  local at, whole = { '/' }, true
  for component in pattern:gmatch('[^/]+') do
    local deeper = {}
    for _, dir in ipairs(at) do
      local names, reason = { component }, nil
      if glob.is_glob(component) then names, reason = self.host.list(dir) end
      if reason then whole = false end
      for _, name in ipairs(names or {}) do
        local where = path.join(dir, name)
        if #deeper < M.MAX_NAMES and glob.match(component, name) and self.host.type(where) then
          deeper[#deeper + 1] = where
        end
      end
    end
    at = deeper
  end
  return at, whole
end

--- Adds the sockets that a glob means now.
function M:sockets(authority, pattern, source)
  for _, where in ipairs((self:glob(pattern))) do
    if self.host.type(where) == 'socket' then
      self:add { authority = authority, path = where, source = source }
    end
  end
end

--- A field of a table that came from outside, when it is there and of that type.
function M.field(value, name, kind)
  local item = type(value) == 'table' and value[name]
  return type(item) == kind and item or nil
end

--- The string keys of such a table, sorted.
function M.keys(value)
  local names = {}
  for name in pairs(type(value) == 'table' and value or {}) do
    if type(name) == 'string' then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

--- Ends the collection.
-- @return list of findings, list of problem lines
function M:results()
  if self.left_out > 0 then
    self.problems[#self.problems + 1] = ('%d more problems of this kind'):format(self.left_out)
    self.left_out = 0
  end
  return self.findings, self.problems
end

return M
