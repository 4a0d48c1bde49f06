--- An engine's address as DOCKER_HOST, CONTAINER_HOST, BUILDKIT_HOST and many others carry it.
local endpoint = require 'confine.values.endpoint'

--- Ports that a client uses where a URL names none. Docker's are those of dockerd(8).
local PORTS = { tcp = { 2375, 2376 }, tls = { 2376 }, http = { 80 }, https = { 443 } }

--- Schemes that reach an endpoint only through another one, which has a variable of its own.
local INDIRECT = {
  ['docker-container'] = true, ['podman-container'] = true, ['nerdctl-container'] = true,
  ['kube-pod'] = true, docker = true, podman = true,
}

local UNKNOWN = 'neither a URL with a known scheme nor a path nor HOST:PORT: '

--- Every path that some client takes `text` for: as it stands, below / (podman), unescaped.
local function unix(text, facts)
  if text == '' then return nil, 'names no path' end
  if text:sub(1, 1) == '@' then
    local found, problem = endpoint.socket(text, facts)
    return found and { found }, problem
  end
  local list, seen = {}, {}
  local function add(candidate)
    local found, problem = endpoint.path(candidate, facts)
    if found and not seen[found.path] and not found.path:find('%z') then
      seen[found.path] = true
      list[#list + 1] = found
    end
    return problem
  end
  local problem = add(text)
  -- Some clients take what follows `?` or `#` for no part of the path.
  local bare = text:match('^([^?#]+)[?#]')
  if bare then add(bare) end
  local plain = endpoint.unescape(text) or text
  if plain ~= text then add(plain) end
  if not plain:find('^[/~]') then add('/' .. plain) end
  if #list == 0 then return nil, problem end
  return list
end

--- `http+unix://%2Frun%2Fdocker.sock/v1.40` has the path where a host stands.
local function http_unix(text, facts)
  local escaped = text:match('^(%%2[Ff][^/?#]*)')
  if not escaped then return unix(text:gsub('[?#].*$', ''), facts) end
  local path, problem = endpoint.unescape(escaped)
  if not path then return nil, problem end
  local found
  found, problem = endpoint.path(path, facts)
  return found and { found }, problem
end

local function tcp(scheme, text)
  local list = {}
  for _, port in ipairs(PORTS[scheme]) do
    local found, problem = endpoint.host_port(text, port)
    if not found then return nil, problem end
    if not list[1] or list[1].tcp ~= found then list[#list + 1] = { tcp = found } end
  end
  return list
end

local function ssh(text)
  local user, host = text:match('^([^/@]*)@([^/?#]*)')
  host = host or text:match('^([^/?#]*)')
  if host == '' then return nil, 'names no host' end
  user = user and user:gsub(':.*$', '') .. '@' or ''
  return { { ssh = user .. host } }
end

local function fd(text, facts)
  local number = text:match('^%d+$')
  if number and #number < 8 then return { { fd = tonumber(number) } } end
  local count = facts.env and tonumber(facts.env.LISTEN_FDS) or 1
  local list = {}
  for i = 3, 2 + math.min(count, endpoint.MAX_ENTRIES) do list[#list + 1] = { fd = i } end
  return list
end

local READ = {
  unix = unix, file = unix, ssh = ssh, fd = fd,
  ['unix-abstract'] = function(text) return { { abstract = text } } end,
  ['http+unix'] = http_unix, ['https+unix'] = http_unix,
  vsock = function(text) return { { vsock = text:match('^[^/?#]*') } } end,
  npipe = function() return {}, 'a named pipe of Windows: nothing on Linux connects to it' end,
}
for scheme in pairs(PORTS) do
  READ[scheme] = function(text) return tcp(scheme, text) end
end

local function read(value, facts)
  local scheme, rest = value:match('^(%a[%w+.-]*)://(.*)$')
  if not scheme then scheme, rest = value:match('^(%a[%w+-]*):(.*)$') end
  if scheme and READ[scheme:lower()] then return READ[scheme:lower()](rest, facts) end
  if scheme and INDIRECT[scheme:lower()] then return {} end
  if value:find('^[/~@]') then return unix(value, facts) end
  local found = not value:find('://', 1, true) and endpoint.host_port(value)
  if found then return { { tcp = found } } end
  return nil, UNKNOWN .. endpoint.shown(value)
end

return {
  doc = 'unix://PATH, unix:PATH, PATH, http+unix://ESCAPED, tcp://, http(s)://, ssh://, fd://, '
    .. 'vsock:, HOST:PORT. Where clients read one value differently, all readings are given.',
  examples = {
    { value = 'unix:///run/docker.sock', result = { { path = '/run/docker.sock' } } },
    { value = 'unix:/run/docker.sock', result = { { path = '/run/docker.sock' } } },
    { value = '/srv/d.sock', result = { { path = '/srv/d.sock' } } },
    { value = 'unix://run/podman.sock', result = { { path = '/run/podman.sock' } } },
    { value = 'unix://d.sock', facts = { cwd = '/w' },
      result = { { path = '/w/d.sock' }, { path = '/d.sock' } } },
    { value = 'unix:///run/a%20b.sock',
      result = { { path = '/run/a%20b.sock' }, { path = '/run/a b.sock' } } },
    { value = 'unix:///run/d.sock?x=1',
      result = { { path = '/run/d.sock?x=1' }, { path = '/run/d.sock' } } },
    { value = 'unix://@docker', result = { { abstract = 'docker' } } },
    { value = 'unix-abstract:grpc', result = { { abstract = 'grpc' } } },
    { value = 'http+unix://%2Frun%2Fd.sock/v1.40', result = { { path = '/run/d.sock' } } },
    { value = 'http+unix:///run/d.sock', result = { { path = '/run/d.sock' } } },
    { value = 'tcp://10.0.0.1:2375', result = { { tcp = '10.0.0.1:2375' } } },
    { value = 'tcp://box/path', result = { { tcp = 'box:2375' }, { tcp = 'box:2376' } } },
    { value = 'tcp:[::1]:99', result = { { tcp = '[::1]:99' } } },
    { value = 'tcp://:2375', result = { { tcp = 'localhost:2375' } } },
    { value = 'localhost:2375', result = { { tcp = 'localhost:2375' } } },
    { value = 'https://u:pw@box', result = { { tcp = 'box:443' } } },
    { value = 'ssh://core:pw@box:50/run/podman.sock', result = { { ssh = 'core@box:50' } } },
    { value = 'ssh://box', result = { { ssh = 'box' } } },
    { value = 'fd://', result = { { fd = 3 } } },
    { value = 'fd://*', facts = { env = { LISTEN_FDS = '2' } },
      result = { { fd = 3 }, { fd = 4 } } },
    { value = 'fd://5', result = { { fd = 5 } } },
    { value = 'vsock:2:1234', result = { { vsock = '2:1234' } } },
    { value = 'docker-container://buildkitd', result = {} },
    { value = 'npipe:////./pipe/docker_engine', result = {},
      problem = 'a named pipe of Windows: nothing on Linux connects to it' },
    { value = 'unix://', problem = 'names no path' },
    { value = 'ssh:///', problem = 'names no host' },
    { value = 'tcp://box:0', problem = 'no port from 1 to 65535: "box:0"' },
    { value = 'gopher://x', problem = UNKNOWN .. '"gopher://x"' },
    { value = 'nonsense', problem = UNKNOWN .. '"nonsense"' },
  },
  read = endpoint.reader(read),
}
