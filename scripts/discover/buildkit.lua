--- BuildKit daemons: BUILDKIT_HOST, buildkitd.toml, and the builders that buildx knows.
local found = require 'scripts.found'
local toml = require 'scripts.readers.toml'

local AUTHORITY = 'buildkit'

local function served(out, file)
  for _, entry in ipairs(toml.read(out:read(file) or '')) do
    if entry.table == 'grpc' and entry.key == 'address' then
      local list = type(entry.value) == 'table' and entry.value or { entry.value }
      for _, address in ipairs(list) do
        out:endpoint(AUTHORITY, 'url', address, '[grpc] in ' .. file)
      end
    end
  end
end

--- A builder's endpoint is a URL, or the name of a docker context.
local function builders(out, dir)
  for _, name in ipairs(out:list(dir .. '/instances')) do
    local builder = out:json(dir .. '/instances/' .. name) or {}
    for _, node in ipairs(found.field(builder, 'Nodes', 'table') or {}) do
      local address = found.field(node, 'Endpoint', 'string')
      if address and address:find('[:/]') then
        out:endpoint(AUTHORITY, 'url', address, ('buildx builder "%s"'):format(name))
      end
    end
  end
end

local function discover(host)
  local out = found.new(host)
  local config = host.env.XDG_CONFIG_HOME or host.home .. '/.config'
  out:variable(AUTHORITY, 'BUILDKIT_HOST', 'url')
  served(out, '/etc/buildkit/buildkitd.toml')
  served(out, config .. '/buildkit/buildkitd.toml')
  local docker = host.env.DOCKER_CONFIG or host.home .. '/.docker'
  builders(out, host.env.BUILDX_CONFIG or docker .. '/buildx')
  out:sockets(AUTHORITY, host.runtime_dir .. '/buildkit*/buildkitd.sock', 'rootless BuildKit')
  local lima = host.env.LIMA_HOME or host.home .. '/.lima'
  out:sockets(AUTHORITY, lima .. '/*/sock/buildkitd.sock', 'Lima machine')
  return out:results()
end

return {
  doc = 'BuildKit named by BUILDKIT_HOST, by buildkitd.toml and by the builders of docker buildx.',
  discover = discover,
}
