--- PIPEWIRE_REMOTE: the PipeWire daemon that a client connects to.
local endpoint = require 'confine.values.endpoint'

--- Where PipeWire keeps the sockets of a daemon that serves the whole machine.
local SYSTEM_DIR = '/run/pipewire'

--- A name means one socket for each folder that the client library looks into.
local function places(name, facts)
  local own = facts.env and facts.env.PIPEWIRE_RUNTIME_DIR
  local list, seen = {}, {}
  for _, dir in ipairs { own or '', endpoint.runtime_dir(facts) or '', SYSTEM_DIR } do
    local found = dir:sub(1, 1) == '/' and endpoint.path(dir .. '/' .. name, facts)
    if found and not seen[found.path] then
      seen[found.path] = true
      list[#list + 1] = found
    end
  end
  return list
end

local function read_one(name, facts)
  if name == 'internal' or name == 'generic' then return {} end
  if name:find('^[/@]') then return endpoint.socket(name, facts) end
  return places(name, facts)
end

local function read(value, facts)
  local names, problem = endpoint.split(value, '%s,"%[%]')
  if not names then return nil, problem end
  return endpoint.each(names, read_one, facts)
end

return {
  doc = 'Names or paths, one or several: a name lies in $PIPEWIRE_RUNTIME_DIR, $XDG_RUNTIME_DIR or '
    .. SYSTEM_DIR .. ' (pipewire(1)).',
  examples = {
    { value = 'pipewire-0', facts = { runtime_dir = '/run/user/7' }, result = {
      { path = '/run/user/7/pipewire-0' }, { path = '/run/pipewire/pipewire-0' },
    } },
    { value = 'pw', facts = { uid = 7, env = { PIPEWIRE_RUNTIME_DIR = '/srv/pw' } }, result = {
      { path = '/srv/pw/pw' }, { path = '/run/user/7/pw' }, { path = '/run/pipewire/pw' },
    } },
    { value = '[ "/a", "/b" ]', result = { { path = '/a' }, { path = '/b' } } },
    { value = '@pw', result = { { abstract = 'pw' } } },
    { value = 'internal', result = {} },
    { value = '@', problem = 'names no abstract socket: "@"' },
  },
  read = endpoint.reader(read),
}
