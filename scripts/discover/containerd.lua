--- containerd and what speaks to it: its own settings, nerdctl's and crictl's.
local found = require 'scripts.found'
local toml = require 'scripts.readers.toml'

local AUTHORITY = 'containerd'

--- Tables of containerd's settings whose `address` is a socket (containerd-config.toml(5)).
local SERVED = { grpc = true, ttrpc = true, debug = true }

local function served(out, file)
  for _, entry in ipairs(toml.read(out:read(file) or '')) do
    if SERVED[entry.table] and entry.key == 'address' and type(entry.value) == 'string' then
      out:endpoint(AUTHORITY, 'path', entry.value, ('[%s] in %s'):format(entry.table, file))
    end
  end
end

local function used_by_nerdctl(out, file)
  for _, entry in ipairs(toml.read(out:read(file) or '')) do
    if entry.table == '' and entry.key == 'address' and type(entry.value) == 'string' then
      out:endpoint(AUTHORITY, 'path', entry.value, 'address in ' .. file)
    end
  end
end

local function used_by_crictl(out, file)
  local text = out:read(file) or ''
  for key, value in ('\n' .. text):gmatch('\n(%l+)%-endpoint:[ \t]*["\']?([^%s"\'#]+)') do
    if key == 'runtime' or key == 'image' then
      out:endpoint(AUTHORITY, 'url', value, key .. '-endpoint in ' .. file)
    end
  end
end

local function discover(host)
  local out = found.new(host)
  local config = host.env.XDG_CONFIG_HOME or host.home .. '/.config'
  out:variable(AUTHORITY, 'CONTAINERD_ADDRESS', 'path')
  out:variable(AUTHORITY, 'CONTAINER_RUNTIME_ENDPOINT', 'url')
  out:variable(AUTHORITY, 'IMAGE_SERVICE_ENDPOINT', 'url')
  served(out, '/etc/containerd/config.toml')
  served(out, config .. '/containerd/config.toml')
  local files = { '/etc/nerdctl/nerdctl.toml', config .. '/nerdctl/nerdctl.toml' }
  local own = host.env.NERDCTL_TOML
  if own and own:sub(1, 1) == '/' then files[#files + 1] = own end
  for _, file in ipairs(files) do used_by_nerdctl(out, file) end
  used_by_crictl(out, '/etc/crictl.yaml')
  for _, dir in ipairs { host.env.COLIMA_HOME or host.home .. '/.colima',
    (host.env.LIMA_HOME or host.home .. '/.lima') } do
    out:sockets(AUTHORITY, dir .. '/*/containerd.sock', 'Colima profile')
    out:sockets(AUTHORITY, dir .. '/*/sock/containerd.sock', 'Lima machine')
  end
  return out:results()
end

return {
  doc = 'containerd named by CONTAINERD_ADDRESS, CONTAINER_RUNTIME_ENDPOINT, config.toml, '
    .. 'nerdctl.toml and crictl.yaml.',
  discover = discover,
}
