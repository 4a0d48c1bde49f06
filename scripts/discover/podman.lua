--- Podman services: CONTAINER_HOST, the connections of its settings, and machine sockets.
local found = require 'scripts.found'
local toml = require 'scripts.readers.toml'

local AUTHORITY = 'podman'

--- An address with its key file, as a connection has them.
local function connection(out, name, address, identity)
  local source = ('podman connection "%s"'):format(name)
  if address then out:endpoint(AUTHORITY, 'url', address, source) end
  if identity and identity:sub(1, 1) == '/' then
    out:add { authority = AUTHORITY, secret = identity, source = 'key of ' .. source }
  end
end

local function settings(out, file)
  local by_name, names = {}, {}
  for _, entry in ipairs(toml.read(out:read(file) or '')) do
    local name = entry.table:match('^engine%.service_destinations%.(.+)$')
    if name and type(entry.value) == 'string' then
      if not by_name[name] then
        by_name[name] = {}
        names[#names + 1] = name
      end
      by_name[name][entry.key] = entry.value
    end
  end
  for _, name in ipairs(names) do
    connection(out, name, by_name[name].uri, by_name[name].identity)
  end
end

local function connections(out, file)
  local listed = found.field(out:json(file) or {}, 'Connection', 'table')
  local all = found.field(listed, 'Connections', 'table')
  for _, name in ipairs(found.keys(all)) do
    connection(out, name, found.field(all[name], 'URI', 'string'),
      found.field(all[name], 'Identity', 'string'))
  end
end

local function discover(host)
  local out = found.new(host)
  local config = (host.env.XDG_CONFIG_HOME or host.home .. '/.config') .. '/containers'
  local data = (host.env.XDG_DATA_HOME or host.home .. '/.local/share') .. '/containers'
  out:variable(AUTHORITY, 'CONTAINER_HOST', 'url')
  for _, dir in ipairs { '/usr/share/containers', '/etc/containers', config } do
    settings(out, dir .. '/containers.conf')
    for _, file in ipairs((out:glob(dir .. '/containers.conf.d/*.conf'))) do settings(out, file) end
  end
  for _, name in ipairs { 'CONTAINERS_CONF', 'CONTAINERS_CONF_OVERRIDE' } do
    local file = host.env[name]
    if file and file:sub(1, 1) == '/' then settings(out, file) end
  end
  connections(out, config .. '/podman-connections.json')
  local own = host.env.PODMAN_CONNECTIONS_CONF
  if own and own:sub(1, 1) == '/' then connections(out, own) end
  for _, dir in ipairs { data .. '/podman/machine', data .. '/podman/machine/*',
    host.runtime_dir .. '/podman', (host.env.TMPDIR or '/tmp') .. '/podman' } do
    out:sockets(AUTHORITY, dir .. '/*.sock', 'podman machine or service')
  end
  local lima = host.env.LIMA_HOME or host.home .. '/.lima'
  out:sockets(AUTHORITY, lima .. '/*/sock/podman.sock', 'Lima machine')
  return out:results()
end

return {
  doc = 'Podman services named by CONTAINER_HOST, by containers.conf and podman-connections.json, '
    .. 'and the sockets of podman machines.',
  discover = discover,
}
