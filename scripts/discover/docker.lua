--- Docker engines: DOCKER_HOST, contexts, daemon.json, sockets of rootless and desktop ones.
local found = require 'scripts.found'

local AUTHORITY = 'docker'

--- Where rootless Docker, Desktop, OrbStack and Rancher Desktop put their sockets below the home.
local IN_HOME = {
  { '.docker/run/docker.sock', 'rootless Docker' },
  { '.docker/desktop/*.sock', 'Docker Desktop' },
  { '.orbstack/run/*.sock', 'OrbStack' },
  { '.rd/docker.sock', 'Rancher Desktop' },
}

local function contexts(out, dir)
  local current = found.field(out:json(dir .. '/config.json') or {}, 'currentContext', 'string')
  local seen = {}
  for _, id in ipairs(out:list(dir .. '/contexts/meta')) do
    local meta = out:json(('%s/contexts/meta/%s/meta.json'):format(dir, id)) or {}
    local name = found.field(meta, 'Name', 'string') or id
    seen[name] = true
    local engine = found.field(found.field(meta, 'Endpoints', 'table'), 'docker', 'table')
    local address = found.field(engine, 'Host', 'string')
    local detail = name == current and 'the current one' or nil
    if address then
      out:endpoint(AUTHORITY, 'url', address, ('docker context "%s"'):format(name), nil,
        { detail = detail })
    end
    local keys = ('%s/contexts/tls/%s'):format(dir, id)
    if out.host.type(keys) then
      out:add { authority = AUTHORITY, secret = keys,
        source = ('keys of docker context "%s"'):format(name) }
    end
  end
  if current and current ~= 'default' and not seen[current] then
    out:problem(('docker: the current context "%s" is not among the known ones'):format(current))
  end
end

--- The addresses that a daemon's settings make it listen on.
local function daemon(out, file)
  local hosts = found.field(out:json(file) or {}, 'hosts', 'table') or {}
  for _, address in ipairs(hosts) do
    if type(address) == 'string' then
      out:endpoint(AUTHORITY, 'url', address, '"hosts" in ' .. file)
    end
  end
end

local function machines(out)
  local home, env = out.host.home, out.host.env
  local colima = { env.COLIMA_HOME or false, home .. '/.colima',
    (env.XDG_CONFIG_HOME or home .. '/.config') .. '/colima' }
  for _, dir in ipairs(colima) do
    if dir then out:sockets(AUTHORITY, dir .. '/*/docker.sock', 'Colima profile') end
  end
  for _, dir in ipairs { env.LIMA_HOME or home .. '/.lima', home .. '/.colima/_lima' } do
    out:sockets(AUTHORITY, dir .. '/*/sock/docker.sock', 'Lima machine')
  end
end

local function discover(host)
  local out = found.new(host)
  out:variable(AUTHORITY, 'DOCKER_HOST', 'url')
  local standard = host.home .. '/.docker'
  local own = host.env.DOCKER_CONFIG
  contexts(out, standard)
  if own and own ~= standard and own:sub(1, 1) == '/' then
    contexts(out, own)
    if host.type(own .. '/config.json') then
      out:add { authority = AUTHORITY, secret = own .. '/config.json',
        source = 'variable DOCKER_CONFIG' }
    end
  end
  daemon(out, '/etc/docker/daemon.json')
  daemon(out, (host.env.XDG_CONFIG_HOME or host.home .. '/.config') .. '/docker/daemon.json')
  for _, place in ipairs(IN_HOME) do
    out:sockets(AUTHORITY, host.home .. '/' .. place[1], place[2])
  end
  out:sockets(AUTHORITY, host.runtime_dir .. '/docker.sock', 'rootless Docker')
  machines(out)
  return out:results()
end

return {
  doc = 'Docker engines named by DOCKER_HOST, by the meta files of docker contexts, by '
    .. 'daemon.json, and those of rootless Docker, Docker Desktop, Colima, OrbStack, Rancher '
    .. 'Desktop and Lima.',
  discover = discover,
}
