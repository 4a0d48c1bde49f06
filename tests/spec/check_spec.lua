-- What `check` finds doubtful in a sound policy, and which endpoints it says are reachable.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local assemble = require 'confine.pipeline.assemble'
local check = require 'confine.views.check'
local host = require 'host'

local AUTHORITIES = {
  { name = 'docker', grants = 'root', from = 'docker.lua', trust = 'builtin',
    sockets = { '/run/docker.sock' }, tcp = { '127.0.0.1:2375' }, env = { DOCKER_HOST = 'url' } },
  { name = 'bus', grants = 'the session', from = 'bus.lua', trust = 'builtin',
    env = { DBUS_SESSION_BUS_ADDRESS = 'dbus-address' } },
}

--- The warnings on some layers, as lines `from: message`.
-- @param tree more of the host; optional
local function warnings(layers, env, tree)
  local variables = { HOME = '/home/ada' }
  for name, value in pairs(env or {}) do variables[name] = value end
  local facts, door = host.facts { env = variables, tree = tree }
  local strict = host.layer { name = 'strict', trust = 'builtin', kind = 'profile',
    { 'include', 'default' }, { 'proc', 'fresh' }, { 'socket.default', 'refused' } }
  local resolved, problems, _, policy, found = host.resolve { facts = facts, door = door,
    layers = layers, authorities = AUTHORITIES,
    profiles = { default = host.default_profile(), strict = strict } }
  assert.are.same({}, problems)
  assert(resolved)
  local out = {}
  local function look(where) return door.look({}, { where }).looks[where][1] end
  for _, list in ipairs { check.warnings(policy, facts, look), found } do
    for _, item in ipairs(list) do out[#out + 1] = ('%s: %s'):format(item.from, item.message) end
  end
  return out
end

local function layer(of) return (host.layer(of)) end

describe('check, of variables that pass,', function()
  it('points at names that look like secrets', function()
    for _, name in ipairs { 'API_KEY', 'GH_TOKEN', 'PGPASSWORD', 'MY_PASSWORD_2', 'APP_SECRET',
      'X_BASIC_AUTH_Y', 'ROOT_PASSWD', 'AWS_CREDENTIALS' } do
      assert.are.same({ ('site.lua:1: %s looks like the name of a secret, and its value would be '
        .. 'readable inside'):format(name) }, warnings { layer { { 'env.allow', name } } })
    end
  end)

  it('is content with others', function()
    assert.are.same({}, warnings { layer { { 'env.allow', { 'TERM', 'KEYBOARD', 'TOKENIZER' } } } })
  end)
end)

describe('check, of grants,', function()
  local NOTHING = 'site.lua:1: %s has no effect: p.lua:1 refuses it for good'

  it('names those that a refusal for good leaves nothing', function()
    for _, row in ipairs {
      { { 'authority.grant', 'docker' }, { 'authority.refuse', 'docker' } },
      { { 'env.allow', 'AWS_REGION' }, { 'env.refuse', 'AWS_*' } },
      { { 'socket.grant', '/srv/a.sock' }, { 'socket.refuse', '/srv/*.sock' } },
      { { 'socket.grant', '@a' }, { 'socket.refuse', '@a' } },
      { { 'socket.grant', '@house' }, { 'socket.refuse', '@h*' } },
      { { 'socket.grant', '/srv/a.sock' }, { 'file.hide', '/srv' } },
      { { 'file.read', '~/.ssh/known_hosts' }, { 'file.hide', '/home/ada/.ssh' } },
      { { 'file.write', '/srv/x/y' }, { 'file.protect', '/srv/?' } },
      { { 'device.grant', '/dev/kvm' }, { 'file.hide', '/dev/kv*' } },
    } do
      local grant, refusal = row[1], row[2]
      assert.are.same({ NOTHING:format(("%s '%s'"):format(grant[1], grant[2])) },
        warnings { layer { grant }, layer { name = 'p.lua', refusal } })
    end
  end)

  it('says nothing of those that have an effect', function()
    for _, row in ipairs {
      { { 'file.read', '/srv/x' }, { 'file.protect', '/srv/x' } },
      { { 'file.read', '/srv/open/x' }, { 'file.hide', { '/srv', except = '/srv/open' } } },
      { { 'file.read', '/srv' }, { 'file.hide', '/srv/x' } },
      { { 'socket.grant', '/srv/a/b' }, { 'socket.refuse', '/srv/a' } },
      { { 'authority.grant', 'docker' }, { 'socket.refuse', '/run/docker.sock' } },
      { { 'env.allow', 'TERM' }, { 'env.refuse', 'AWS_*' } },
    } do
      assert.are.same({}, warnings { layer { row[1] }, layer { name = 'p.lua', row[2] } })
    end
  end)
end)

describe('check, of grants of what cannot be had,', function()
  it('names those of abstract names, which are closed or open as a whole', function()
    local message = "site.lua:1: socket.grant '@house' has no effect: "
    local grant = { 'socket.grant', '@house' }
    assert.are.same({ message .. "net 'none' (default:1) closes all abstract names of the host" },
      warnings { layer { grant } })
    assert.are.same({ message .. 'a Landlock scope closes all abstract names of the host' },
      warnings { layer { grant, { 'net', 'host' } } })
  end)

  it('names what is to be written and is not there, but not in a place that is writable', function()
    local nothing = "site.lua:%d: file.write '%s' has no effect: it does not exist"
    assert.are.same({ nothing:format(1, '/nosuch/abc'), nothing:format(2, '~/out') },
      warnings { layer { { 'file.write', '/nosuch/abc' }, { 'file.write', '~/out' },
        { 'file.write', { 'build', '/tmp/x', '/etc' } } } })
  end)
end)

describe('check, of files,', function()
  it('names exceptions that lie outside of what is refused', function()
    assert.are.same({ "site.lua:1: except = '/srv/other' has no effect: it is not in '/srv/data'",
      "site.lua:2: except = '~/d' has no effect: it is not in '~/d/*'" },
      warnings { layer { { 'file.hide', { '/srv/data', except = '/srv/other' } },
        { 'file.hide', { '~/d/*', except = '~/d' } } } })
    assert.are.same({}, warnings { layer { { 'file.hide', { '/srv/data',
      except = { '/srv/data', '/srv/data/x/y', '/srv/data/*' } } },
      { 'file.hide', { '~/d/*', except = { '~/d/c', '~/d/c/x' } } },
      { 'file.protect', { '/srv', except = '.' } } } })
  end)

  it('names lines whose variable is not set here, or holds no path', function()
    local lines = layer { { 'file.hide', { '$PROJ/k', '$REL/k', '$DIR/k' } },
      { 'socket.refuse', '$PROJ/s' }, { 'file.write', '$PROJ' }, { 'socket.grant', '$DIR/s' },
      { 'authority.add', 'docker', { sockets = { '$PROJ/d' } } }, { 'authority.refuse', 'docker' } }
    assert.are.same({
      "site.lua:1: file.hide '$PROJ/k' means nothing here: $PROJ is not set",
      "site.lua:2: socket.refuse '$PROJ/s' means nothing here: $PROJ is not set",
      "site.lua:5: authority.add '$PROJ/d' means nothing here: $PROJ is not set",
      "site.lua:3: file.write '$PROJ' means nothing here: $PROJ is not set",
    }, warnings({ lines }, { REL = 'here', DIR = '/srv' }))
  end)

  it('names private places that are no folder', function()
    local tree = { ['/srv'] = 'dir', ['/srv/ledger'] = 'file', ['/srv/data'] = 'dir' }
    assert.are.same({ "site.lua:1: file.private '/srv/ledger' has no effect: it is no folder" },
      warnings({ layer { { 'file.private', '/srv/ledger' }, { 'file.private', '/srv/data' },
        { 'file.private', '/srv/absent' } } }, {}, tree))
  end)
end)

describe('check, of what keeps every run from starting here,', function()
  --- What is a problem of the policy, and what a warning, as the kinds and messages of each.
  local function told(given, is_named)
    local facts, door = host.facts(given)
    local resolved, problems = host.resolve { facts = facts, door = door, layers = given.layers }
    if resolved then
      problems = select(2, assemble.plan(resolved.policy, facts, { 'true' }, resolved))
    end
    local out = { {}, {} }
    for i, list in ipairs { check.refusals(problems, is_named) } do
      for j, item in ipairs(list) do out[i][j] = (item.from or '-') .. ': ' .. item.message end
    end
    return out
  end

  it('lists what a line of the policy asks for', function()
    for word, message in pairs {
      [{ 'file.write', '/' }] = 'site.lua:1: file.write: / would be the whole host',
      [{ 'device.grant', '/dev/nosuch' }] =
        'site.lua:1: device.grant: /dev/nosuch is no device of this host',
      [{ 'file.hide', '.' }] = '-: the writable root /home/ada/work is hidden (site.lua:1)',
      [{ 'file.protect', '.' }] = '-: the writable root /home/ada/work is protected (site.lua:1)',
      [{ 'file.hide', '/proc' }] =
        "site.lua:1: file.hide: /proc cannot be hidden: the command's /proc is made for the run",
    } do
      assert.are.same({ { message }, {} }, told { layers = { layer { word } } })
    end
  end)

  it('warns of what is wrong with the place, unless it was asked for', function()
    local at_home = { root = '/home/ada', cwd = '/home/ada' }
    local message = 'the writable root would be /home/ada, which is your home'
    assert.are.same({ {}, { '-: no run starts here: ' .. message } }, told(at_home))
    assert.are.same({ { '-: ' .. message }, {} }, told(at_home, true))
  end)
end)

describe('check, of profiles,', function()
  it('names those by which a site caps its own users', function()
    local function line(name, values)
      return ("site.lua:1: include '%s' in a site layer caps every profile that its users name: %s")
        :format(name, values)
    end
    assert.are.same({ line('default', "net 'none', ipc 'private', tty 'none', userns 'refused'") },
      warnings { layer { { 'include', 'default' } } })
    assert.are.same({ line('strict', "net 'none', proc 'fresh', ipc 'private', tty 'none', "
      .. "userns 'refused', socket.default 'refused'") },
      warnings { layer { { 'include', 'strict' } } })
    assert.are.same({}, warnings { layer { trust = 'given', { 'include', 'strict' } },
      layer { trust = 'user', name = 'user.lua', { 'include', 'default' } } })
  end)
end)

describe('check, of endpoints,', function()
  it("names those of TCP that net 'host' leaves reachable", function()
    local host_net = layer { { 'net', 'host' },
      { 'authority.add', 'docker', { tcp = { '10.0.0.1:2376' } } } }
    assert.are.same({
      "site.lua:1: net 'host' leaves the docker endpoint tcp://localhost:99 reachable "
        .. '(environment: DOCKER_HOST)',
      "site.lua:1: net 'host' leaves the docker endpoint tcp://10.0.0.1:2376 reachable "
        .. '(site.lua:2)',
    }, warnings({ host_net }, { DOCKER_HOST = 'tcp://:99' }))
    assert.are.same({}, warnings({}, { DOCKER_HOST = 'tcp://:99' }))
  end)

  it('tells what of the environment cannot be read, in whole or in part', function()
    assert.are.same({ 'environment: DBUS_SESSION_BUS_ADDRESS: is read only in part: '
      .. 'a broken %-escape: "%zz"' },
      warnings({}, { DBUS_SESSION_BUS_ADDRESS = 'unix:path=/a;unix:path=%zz' }))
    assert.are.same({ 'environment: DOCKER_HOST: cannot be read: holds control characters: '
      .. '"tcp://\\e[2J"' }, warnings({}, { DOCKER_HOST = 'tcp://\27[2J' }))
  end)
end)
