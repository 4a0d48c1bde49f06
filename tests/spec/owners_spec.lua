-- What daemons listen on is refused though no record names it, and by whose authority.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local catalog = require 'confine.pipeline.catalog'
local host = require 'host'
local verdict = require 'confine.pipeline.verdict'
local view = require 'confine.pipeline.view'

local AUTHORITIES = {
  { name = 'agent', grants = 'keys', from = 'policies/agent.lua', trust = 'builtin',
    sockets = { '/run/agent.sock' }, owners = { 'ssh-agent', 'gnome-keyring-daemon' } },
  { name = 'engine', grants = 'root', from = 'policies/engine.lua', trust = 'builtin',
    sockets = { '/run/engine.sock', '/srv/listed/*' }, abstract = { 'engine' },
    env = { ENGINE = 'path' }, owners = { 'dockerd', 'tmux' } },
}

local TREE = { ['/srv'] = 'dir', ['/srv/listed'] = 'dir' }

--- Resolves a policy on a host where processes hold sockets.
-- @param given { sockets = list of { path | abstract, inode, ... }, holders, layers, env, tree }
local function resolve(given)
  local tree = {}
  for where, kind in pairs(TREE) do tree[where] = kind end
  for _, socket in ipairs(given.sockets) do
    local where = not given.tree and socket.path
    if where and where:sub(1, 1) == '/' then tree[where] = 'socket' end
  end
  for where, kind in pairs(given.tree or {}) do tree[where] = kind end
  local facts, door = host.facts { tree = tree, sockets = given.sockets, holders = given.holders,
    env = given.env }
  local resolved, problems = host.resolve { facts = facts, door = door, layers = given.layers,
    authorities = AUTHORITIES,
    catalog = catalog.build { authorities = AUTHORITIES, secrets = {}, protected = {} } }
  assert.are.same({}, problems)
  return resolved, function(where)
    local look = door.look({ looks = {} }, { where }).looks[where][1]
    return verdict.socket(resolved, where, look)
  end
end

local AGENT = { pid = 7, uid = 1000, comm = 'ssh-agent', exe = '/usr/bin/ssh-agent',
  sockets = { 1 } }

--- A policy layer of these statements.
local function layer(of) return (host.layer(of)) end

local function holder(more)
  local out = {}
  for key, value in pairs(AGENT) do out[key] = value end
  for key, value in pairs(more) do out[key] = value or nil end
  return out
end

local function refused_by(answer)
  return { answer.verdict, answer.authority, answer.from, answer.why }
end

local BY_AGENT = { 'refused', 'agent', 'owner: ssh-agent (pid 7)', 'keys' }

describe('what a daemon listens on', function()
  it('is refused though no record names it, and its owner and what it grants are told', function()
    local _, judge = resolve { sockets = { { path = '/srv/odd', inode = 1 },
      { path = '/srv/other', inode = 2 } }, holders = { AGENT } }
    assert.are.same(BY_AGENT, refused_by(judge '/srv/odd'))
    assert.are.equal('reachable', judge('/srv/other').verdict)
  end)

  it('may have an abstract name', function()
    local resolved = resolve { sockets = { { abstract = 'od*d', inode = 1 } }, holders = { AGENT } }
    assert.are.same(BY_AGENT, refused_by(verdict.abstract(resolved, 'od*d')))
    assert.is_nil(verdict.abstract(resolved, 'odXd').authority)
  end)

  it('may have a name with the marks of globs and variables', function()
    for _, name in ipairs { '/srv/a[1]*?', '/srv/$HOME', '/srv/~', '/srv/a b\n' } do
      local _, judge = resolve { sockets = { { path = name, inode = 1 } }, holders = { AGENT } }
      assert.are.same(BY_AGENT, refused_by(judge(name)))
    end
  end)

  it('is refused under another name of the same inode', function()
    local tree = { ['/srv/odd'] = 'socket', ['/srv/alias'] = 'socket', ['inode /srv/odd'] = 5,
      ['inode /srv/alias'] = 5, ['/srv/link'] = { link = '/srv/odd' } }
    local _, judge = resolve { tree = tree, holders = { AGENT },
      sockets = { { path = '/srv/odd', inode = 1, dev = 1, ino = 5 } } }
    for _, name in ipairs { '/srv/odd', '/srv/alias', '/srv/link' } do
      assert.are.same({ name, 'refused' }, { name, judge(name).verdict })
    end
  end)

  it('is known by the name that the kernel cut, by a name with a colon, and by the executable',
    function()
      for _, row in ipairs {
        { { comm = 'gnome-keyring-d', exe = false }, 'agent', 'gnome-keyring-daemon' },
        { { comm = 'gnome-keyring-d', exe = '/usr/bin/gnome-keyring-daemon' }, 'agent',
          'gnome-keyring-daemon' },
        { { comm = 'tmux: server', exe = '/usr/bin/tmux' }, 'engine', 'tmux' },
        { { comm = 'tmux: server', exe = false }, 'engine', 'tmux' },
        { { comm = 'exe', exe = '/usr/bin/dockerd' }, 'engine', 'dockerd' },
      } do
        local _, judge = resolve { sockets = { { path = '/srv/odd', inode = 1 } },
          holders = { holder(row[1]) } }
        local answer = judge '/srv/odd'
        assert.are.same({ row[2], ('owner: %s (pid 7)'):format(row[3]) },
          { answer.authority, answer.from })
      end
    end)

  it('is found where it was renamed to, and by a relative name in the folder of its process',
    function()
      local _, judge = resolve { tree = { ['/srv/cm'] = 'socket', ['inode /srv/cm'] = 5 },
        sockets = { { path = '/srv/cm.x1Y2', inode = 1, dev = 1, ino = 5 } }, holders = { AGENT } }
      assert.are.same(BY_AGENT, refused_by(judge '/srv/cm'))
      _, judge = resolve { tree = { ['/srv/rel'] = 'socket', ['inode /srv/rel'] = 5 },
        sockets = { { path = 'rel', inode = 1, dev = 1, ino = 5 } },
        holders = { holder { cwd = '/srv' } } }
      assert.are.same(BY_AGENT, refused_by(judge '/srv/rel'))
    end)

  it('is not what stands at its name now, when that is another', function()
    local tree = { ['/srv/odd'] = 'socket', ['inode /srv/odd'] = 6 }
    local _, judge = resolve { tree = tree, holders = { AGENT },
      sockets = { { path = '/srv/odd', inode = 1, dev = 1, ino = 5 } } }
    assert.are.equal('reachable', judge('/srv/odd').verdict)
  end)

  it('is taken for what stands at its name where two device numbers mean one device', function()
    local tree = { ['/srv/odd'] = 'socket', ['inode /srv/odd'] = 6 }
    local sockets = { { path = '/srv/odd', inode = 1, dev = 99, ino = 5 } }
    local _, judge = resolve { tree = tree, holders = { AGENT }, sockets = sockets }
    assert.are.same(BY_AGENT, refused_by(judge '/srv/odd'))
    _, judge = resolve { tree = tree, holders = { holder { elsewhere = true } }, sockets = sockets }
    assert.are.equal('reachable', judge('/srv/odd').verdict)
  end)
end)

describe('a daemon that lets nobody see its descriptors', function()
  local function closed(command, socket, more)
    local of = { exe = false, sockets = false, command = command:gsub(' ', '\0') .. '\0' }
    for key, value in pairs(more or {}) do of[key] = value end
    local _, judge = resolve { sockets = { socket }, holders = { holder(of) } }
    return judge(socket.path).verdict
  end

  it('is known by what its command line says', function()
    local odd = { path = '/srv/odd', inode = 1 }
    assert.are.equal('refused', closed('ssh-agent -D -a /srv/odd', odd))
    assert.are.equal('refused', closed('ssh-agent -D -a/srv//x/../odd', odd))
    assert.are.equal('reachable', closed('ssh-agent -D -a /srv/other', odd))
    assert.are.equal('reachable', closed('ssh-agent /srv/odd', odd))
    assert.are.equal('reachable', closed('', odd))
  end)

  it('owns only sockets of its user', function()
    local of_another = { path = '/srv/odd', inode = 1, uid = 1001 }
    assert.are.equal('reachable', closed('ssh-agent -a /srv/odd', of_another))
    assert.are.equal('refused', closed('ssh-agent -a /srv/odd', of_another, { uid = 1001 }))
  end)
end)

describe('a socket of a daemon that has another name as well', function()
  local ODD = { path = '/srv/odd', inode = 1 }

  it('keeps the authority of the record that names it', function()
    for _, where in ipairs { '/run/engine.sock', '/srv/listed/x' } do
      local grant = layer { { 'authority.grant', 'engine' } }
      local sockets = { { path = where, inode = 1 } }
      local _, judge = resolve { sockets = sockets, holders = { AGENT } }
      assert.are.equal('engine', judge(where).authority)
      _, judge = resolve { sockets = sockets, holders = { AGENT }, layers = { grant } }
      assert.are.equal('reachable', judge(where).verdict)
    end
  end)

  it('keeps the authority of the variable that names it', function()
    local _, judge = resolve { sockets = { ODD }, holders = { AGENT },
      env = { HOME = '/home/ada', ENGINE = '/srv/odd' } }
    local answer = judge '/srv/odd'
    assert.are.same({ 'engine', 'environment: ENGINE' }, { answer.authority, answer.from })
  end)

  it('is not taken from its owner by a layer', function()
    local added = { 'authority.add', 'engine', { sockets = { '/srv/odd' } } }
    for _, trust in ipairs { 'site', 'project' } do
      local grant = layer { { 'authority.grant', 'engine' } }
      local add = layer { name = 'add.lua', trust = trust, added }
      local _, judge = resolve { sockets = { ODD }, holders = { AGENT }, layers = { grant, add } }
      assert.are.same(BY_AGENT, refused_by(judge '/srv/odd'))
      local both = layer { { 'authority.grant', { 'engine', 'agent' } } }
      _, judge = resolve { sockets = { ODD }, holders = { AGENT }, layers = { both, add } }
      assert.are.equal('reachable', judge('/srv/odd').verdict)
    end
  end)

  it('is not taken from its owner by a layer that calls the daemon another authority\'s', function()
    local layers = { layer { { 'authority.grant', 'engine' },
      { 'authority.add', 'engine', { owners = { 'ssh-agent' } } } } }
    local _, judge = resolve { sockets = { ODD }, holders = { AGENT }, layers = layers }
    assert.are.same(BY_AGENT, refused_by(judge '/srv/odd'))
  end)

  it('is named once where the layer says the same authority', function()
    local layers = { layer { { 'authority.add', 'agent', { sockets = { '/srv/odd' } } } } }
    local _, judge = resolve { sockets = { ODD }, holders = { AGENT }, layers = layers }
    assert.are.equal('site.lua:1', judge('/srv/odd').from)
  end)

  it('is lifted by a grant of its owner\'s authority or of itself, but not when refused for good',
    function()
      for _, row in ipairs {
        { { 'authority.grant', 'agent' }, 'reachable' },
        { { 'socket.grant', '/srv/odd' }, 'reachable' },
        { { 'authority.grant', 'engine' }, 'refused' },
        { { 'authority.grant', 'agent' }, 'refused', { 'socket.refuse', '/srv/odd' } },
      } do
        local _, judge = resolve { sockets = { ODD }, holders = { AGENT },
          layers = { layer { row[1], row[3] } } }
        assert.are.equal(row[2], judge('/srv/odd').verdict)
      end
    end)

  it('is what a grant exposes where neither the environment nor the record names a live one',
    function()
      local grant = layer { { 'authority.grant', 'agent' } }
      local function exposed(given)
        given.holders, given.layers = { AGENT }, { grant }
        local resolved = resolve(given)
        return view.granted_sockets(resolved, resolved.facts)
      end
      local odd = { path = '/srv/odd', inode = 1, dev = 1, ino = 5 }
      local tree = { ['/srv/odd'] = 'socket', ['inode /srv/odd'] = 5 }
      local wanted = { { path = '/srv/odd', authority = 'agent', from = 'site.lua:1' } }
      assert.are.same(wanted, exposed { sockets = { odd }, tree = tree })
      -- A file of a daemon that is gone, at a name of the record.
      tree['/run/agent.sock'] = 'socket'
      assert.are.same(wanted, exposed { sockets = { odd }, tree = tree })
      local live = { path = '/run/agent.sock', inode = 9, dev = 1, ino = 6 }
      tree['inode /run/agent.sock'] = 6
      wanted[1].path = '/run/agent.sock'
      assert.are.same(wanted, exposed { sockets = { odd, live }, tree = tree })
    end)

  it('is not looked for where records name every listening socket', function()
    local function walks(sockets)
      local facts, door = host.facts { sockets = sockets, holders = {},
        tree = { ['/run/engine.sock'] = 'socket' } }
      local count, holders = 0, door.holders
      function door.holders(...)
        count = count + 1
        return holders(...)
      end
      -- Without a catalog these names are the record's all the same.
      host.resolve { facts = facts, door = door, authorities = AUTHORITIES,
        layers = { layer { { 'socket.refuse', { '/run/engine.sock', '@engine' } } } } }
      return count
    end
    local known = { { path = '/run/engine.sock', inode = 1 }, { abstract = 'engine', inode = 2 },
      { inode = 3 } }
    assert.are.equal(0, walks {})
    assert.are.equal(0, walks(known))
    known[4] = { path = '/srv/odd', inode = 4 }
    assert.are.equal(1, walks(known))
  end)
end)
