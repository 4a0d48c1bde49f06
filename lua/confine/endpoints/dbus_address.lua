--- A D-Bus server address, as DBUS_SESSION_BUS_ADDRESS, IBUS_ADDRESS and their kin carry it.
local endpoint = require 'confine.values.endpoint'

--- A path out of a key's value; in a folder, a daemon's own choice is `dbus-RANDOM`.
local function path_of(text, facts, in_folder)
  local found, problem = endpoint.path(text, facts)
  if not found then return nil, problem end
  if in_folder then return { glob = endpoint.literal(found.path) .. '/dbus-*' } end
  return found
end

local function unix(keys, facts)
  local list, first = {}, nil
  local function add(found, problem)
    list[#list + 1] = found
    first = first or problem
  end
  if keys.path then add(path_of(keys.path, facts)) end
  if keys.abstract then add({ abstract = keys.abstract }) end
  if keys.dir then add(path_of(keys.dir, facts, true)) end
  if keys.tmpdir then
    add(path_of(keys.tmpdir, facts, true))
    add({ abstract_glob = endpoint.literal(keys.tmpdir) .. '/dbus-*' })
  end
  if keys.runtime == 'yes' then
    local dir = endpoint.runtime_dir(facts)
    if dir then add({ path = dir .. '/bus' }) else add(nil, 'the runtime folder is not known') end
  end
  if first then return nil, first end
  if #list == 0 then return nil, 'a unix address without path, abstract, dir, tmpdir or runtime' end
  return list
end

local function tcp(keys)
  local host = keys.host or keys.bind or 'localhost'
  if host:find(':', 1, true) then host = '[' .. host .. ']' end
  local found, problem = endpoint.host_port(host .. ':' .. (keys.port or ''))
  if not found then return nil, problem end
  return { tcp = found }
end

local function unixexec(keys)
  if not keys.path then return nil, 'a unixexec address without path' end
  return { exec = keys.path }
end

local READ = {
  unix = unix,
  tcp = tcp,
  ['nonce-tcp'] = tcp,
  unixexec = unixexec,
  autolaunch = function() return { exec = 'dbus-launch' } end,
  systemd = function() return { fd = 3 } end,
  vsock = function(keys) return { vsock = (keys.cid or '') .. ':' .. (keys.port or '') } end,
  ['x-machine-unix'] = function() return { exec = 'machinectl' } end,
}

--- Reads the `key=value,key=value` of one address.
local function keys_of(text)
  local keys = {}
  for pair in text:gmatch('[^,]+') do
    local key, escaped = pair:match('^([^=]+)=(.*)$')
    if not key then return nil, 'not KEY=VALUE: ' .. endpoint.shown(pair) end
    if keys[key] then return nil, 'a key given twice: ' .. endpoint.shown(key) end
    local value, problem = endpoint.unescape(escaped)
    if not value then return nil, problem end
    if value:find('[%z\1-\31\127]') then
      return nil, 'holds control characters: ' .. endpoint.shown(value)
    end
    keys[key] = value
  end
  return keys
end

local function read_one(entry, facts)
  local transport, rest = entry:match('^([%w-]+):(.*)$')
  if not transport then return nil, 'not an address: ' .. endpoint.shown(entry) end
  if not READ[transport] then return nil, 'an unknown transport: ' .. endpoint.shown(transport) end
  local keys, problem = keys_of(rest)
  if not keys then return nil, problem end
  return READ[transport](keys, facts)
end

local function read(value, facts)
  local entries, problem = endpoint.split(value, ';')
  if not entries then return nil, problem end
  return endpoint.each(entries, read_one, facts)
end

return {
  doc = 'Addresses with `;` between them, each TRANSPORT:KEY=VALUE,... with %-escapes (D-Bus '
    .. 'Specification, "Server Addresses", and sd-bus).',
  examples = {
    { value = 'unix:path=/run/user/1000/bus', result = { { path = '/run/user/1000/bus' } } },
    { value = 'unix:abstract=/tmp/dbus-aB,guid=0123;unix:path=/b', result = {
      { abstract = '/tmp/dbus-aB' }, { path = '/b' },
    } },
    { value = 'unix:path=/tmp/a%20b%3b', result = { { path = '/tmp/a b;' } } },
    { value = 'unix:runtime=yes', facts = { uid = 7 }, result = { { path = '/run/user/7/bus' } } },
    { value = 'unix:dir=/srv/bus', result = { { glob = '/srv/bus/dbus-*' } } },
    { value = 'unix:tmpdir=/tmp',
      result = { { glob = '/tmp/dbus-*' }, { abstract_glob = '/tmp/dbus-*' } } },
    { value = 'tcp:host=127.0.0.1,port=55,family=ipv4;nonce-tcp:host=::1,port=6,noncefile=/n',
      result = { { tcp = '127.0.0.1:55' }, { tcp = '[::1]:6' } } },
    { value = 'autolaunch:', result = { { exec = 'dbus-launch' } } },
    { value = 'unixexec:path=ssh,argv1=box', result = { { exec = 'ssh' } } },
    { value = 'systemd:', result = { { fd = 3 } } },
    { value = 'x-machine-unix:machine=c', result = { { exec = 'machinectl' } } },
    { value = ';', result = {} },
    { value = 'launchd:env=X;unix:path=/b', result = { { path = '/b' } },
      problem = 'an unknown transport: "launchd"' },
    { value = 'unix:guid=1',
      problem = 'a unix address without path, abstract, dir, tmpdir or runtime' },
    { value = 'unix:path=%2', problem = 'a broken %-escape: "%2"' },
    { value = 'unix:path=/a%00b', problem = 'holds control characters: "/a\\0b"' },
    { value = 'unix:path=/a,path=/b', problem = 'a key given twice: "path"' },
    { value = 'unix:path', problem = 'not KEY=VALUE: "path"' },
    { value = '/run/bus', problem = 'not an address: "/run/bus"' },
    { value = 'unix:path=bus', problem = 'not an absolute path: "bus"' },
  },
  read = endpoint.reader(read),
}
