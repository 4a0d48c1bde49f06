--- A host made of tables, so that discovery is tested without the real machine.
local HERE = debug.getinfo(1, 'S').source:match('^@(.*/)') or './'
local ROOT = HERE .. '../../../'
package.path = ROOT .. '?.lua;' .. ROOT .. 'lua/?.lua;' .. package.path

local records = require 'scripts.records'

local M = { ROOT = ROOT }

--- The records that the specs go by.
local RECORDS = {
  docker = [[return record { name = 'docker', grants = 'g', sockets = { '/run/docker.sock',
    '$XDG_RUNTIME_DIR/docker.sock' }, env = { DOCKER_HOST = 'url', DOCKER_CONTEXT = 'name' },
    owners = { 'dockerd' }, secrets = { '~/.docker/config.json', '~/.docker/contexts/tls' },
    tcp = { 'localhost:2375' } }]],
  podman = [[return record { name = 'podman', grants = 'g', env = { CONTAINER_HOST = 'url' },
    sockets = { '$XDG_RUNTIME_DIR/podman/*.sock' }, owners = { 'podman' } }]],
  session_bus = [[return record { name = 'session_bus', grants = 'g',
    sockets = { '$XDG_RUNTIME_DIR/bus' }, env = { DBUS_SESSION_BUS_ADDRESS = 'dbus-address' },
    owners = { 'dbus-daemon' } }]],
  ssh_agent = [[return record { name = 'ssh_agent', grants = 'g', owners = { 'ssh-agent' },
    sockets = { '/tmp/ssh-*/agent.*', '$XDG_RUNTIME_DIR/gcr/ssh' },
    env = { SSH_AUTH_SOCK = 'path' } }]],
  wayland = [[return record { name = 'wayland', grants = 'g', env = { WAYLAND_DISPLAY = 'wayland' },
    sockets = { '$XDG_RUNTIME_DIR/wayland-?' } }]],
  x11 = [[return record { name = 'x11', grants = 'g', sockets = { '/tmp/.X11-unix/X*' },
    abstract = { '/tmp/.X11-unix/X*' }, env = { DISPLAY = 'display', XAUTHORITY = 'name' },
    secrets = { '~/.Xauthority', '$XAUTHORITY', '$XCOOKIES/*' } }]],
}

--- Loads those records.
function M.records()
  local sources = {}
  for name, text in pairs(RECORDS) do
    sources[#sources + 1] = { name = name .. '.lua', base = name, kind = 'authorities',
      text = text }
  end
  table.sort(sources, function(a, b) return a.base < b.base end)
  local loaded, problems = records.load(sources)
  assert(#problems == 0, problems[1])
  return loaded
end

--- Notes a path and the folders above it.
local function place(nodes, where, node)
  nodes[where] = node
  local above = where:match('^(.+)/[^/]+$')
  while above and not nodes[above] do
    nodes[above] = { type = 'dir' }
    above = above:match('^(.+)/[^/]+$')
  end
end

--- The files of a fixture folder.
local function load_tree(nodes, name)
  local dir = ROOT .. 'tests/fixtures/discover/' .. name
  local pipe = assert(io.popen(("cd '%s' && find . -type f"):format(dir)))
  for line in pipe:lines() do
    local handle = assert(io.open(dir .. line:sub(2), 'rb'))
    place(nodes, line:sub(2), { type = 'file', text = handle:read('a') })
    handle:close()
  end
  pipe:close()
end

local function iterate(list)
  local at = 0
  return function()
    at = at + 1
    local item = list[at]
    if not item then return nil end
    return { pid = item.pid, comm = item.comm, exe = item.exe, other_view = item.other_view,
      env = function() return item.environ end,
      command = function() return item.command end }
  end
end

--- Makes a host.
-- @param given { tree = name of a folder in tests/fixtures/discover, files = map path -> text or
--   { reason = STRING }, private, links = sets of paths, sockets = list of paths, env, processes,
--   listening, answers = map of command lines to what they print }
-- @return host, list of the command lines that were run
function M.host(given)
  local nodes, ran = { ['/'] = { type = 'dir' } }, {}
  if given.tree then load_tree(nodes, given.tree) end
  for where, text in pairs(given.files or {}) do
    place(nodes, where, type(text) == 'table' and { type = 'file', reason = text.reason }
      or { type = 'file', text = text })
  end
  for _, where in ipairs(given.sockets or {}) do place(nodes, where, { type = 'socket' }) end
  local host = { env = given.env or {}, uid = 1000, user = 'u', home = '/home/u',
    homes = { '/home/u' }, runtime_dir = '/run/user/1000', runtime_dirs = { '/run/user/1000' },
    hostname = 'box.example', records = M.records() }
  function host.read(where, max)
    local node = nodes[where]
    if not node then return nil end
    if node.type ~= 'file' then return nil, 'not a regular file' end
    if node.reason then return nil, node.reason end
    if #node.text > max then return nil, ('larger than %d bytes'):format(max) end
    return node.text
  end
  function host.list(dir)
    local prefix, names = dir == '/' and '/' or dir .. '/', {}
    if not nodes[dir] then return nil end
    for where in pairs(nodes) do
      local name = where:sub(1, #prefix) == prefix and where:sub(#prefix + 1)
      if name and name ~= '' and not name:find('/', 1, true) then names[#names + 1] = name end
    end
    table.sort(names)
    return names
  end
  function host.type(where) return nodes[where] and nodes[where].type end
  function host.is_link(where) return (given.links or {})[where] == true end
  function host.is_private(where) return (given.private or {})[where] == true end
  function host.processes() return iterate(given.processes or {}) end
  function host.sockets()
    if given.listening then return given.listening end
    return nil, 'not to be had here'
  end
  function host.run(argv)
    local line = table.concat(argv, ' ')
    ran[#ran + 1] = line
    local answer = given.answers and given.answers[line]
    if answer then return answer end
    return nil, argv[1] .. ': exited 127'
  end
  return host, ran
end

--- What a source finds, as one text a finding: `AUTHORITY KIND VALUE (SOURCE)`, sorted.
-- @return list of texts, list of problems
function M.discover(name, host)
  local findings, problems = require('scripts.discover.' .. name).discover(host)
  local list = {}
  for _, finding in ipairs(findings) do
    for _, kind in ipairs { 'path', 'glob', 'abstract', 'abstract_glob', 'tcp', 'secret',
      'secret_glob' } do
      if finding[kind] then
        list[#list + 1] = ('%s %s %s (%s)'):format(finding.authority, kind, finding[kind],
          finding.source)
      end
    end
  end
  table.sort(list)
  return list, problems
end

return M
