-- The three sets: what is refused by default, what for good, what is granted; and the scalars.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local host = require 'host'
local problem = require 'confine.values.problem'
local verdict = require 'confine.pipeline.verdict'

local DOCKER = { name = 'docker', grants = 'root on this host', from = 'docker.lua',
  sockets = { '/run/docker.sock' }, env = { DOCKER_HOST = 'url' },
  secrets = { '~/.docker/config.json' } }
local PODMAN = { name = 'podman', grants = 'containers', from = 'podman.lua',
  sockets = { '/run/podman.sock' }, env = {} }
local TREE = { ['/srv'] = 'dir', ['/srv/d.sock'] = 'socket',
  ['/run/docker.sock'] = 'socket', ['/run/podman.sock'] = 'socket',
  ['/home/ada/.docker'] = 'dir', ['/home/ada/.docker/config.json'] = 'file' }

local function resolved_with(layers, more)
  local given = more or {}
  given.facts, given.door = host.facts { tree = TREE }
  given.layers, given.authorities = layers, given.authorities or { DOCKER, PODMAN }
  return host.resolve(given)
end

local function socket(layers, where, more)
  return verdict.socket((resolved_with(layers, more)), where or '/run/docker.sock')
end

--- A site's layer of one statement.
local function site(...) return (host.layer { { ... } }) end

describe('a refusal', function()
  it('by default is lifted by a grant, and the grant is named', function()
    local got = socket { site('authority.grant', 'docker') }
    assert.are.same({ 'reachable', 'site.lua:1', true }, { got.verdict, got.from, got.granted })
    assert.are.equal('refused',
      socket({ site('authority.grant', 'docker') }, '/run/podman.sock').verdict)
  end)

  it('that is explicit is final, whoever wrote it', function()
    local project = host.layer { name = '.confine.lua', trust = 'project',
      { 'socket.refuse', '/run/docker.sock' } }
    local got = socket { project, site('authority.grant', 'docker') }
    assert.are.same({ 'refused', '.confine.lua:1' }, { got.verdict, got.from })
  end)

  it('of a name in two records needs both grants, or its exact one', function()
    local twin = { name = 'twin', grants = 'x', from = 'twin.lua',
      sockets = { '/run/docker.sock' }, env = {} }
    local both = { authorities = { DOCKER, twin } }
    assert.are.equal('refused', socket({ site('authority.grant', 'docker') }, nil, both).verdict)
    assert.are.equal('reachable',
      socket({ site('authority.grant', { 'docker', 'twin' }) }, nil, both).verdict)
    assert.are.equal('reachable',
      socket({ site('socket.grant', '/run/docker.sock') }, nil, both).verdict)
  end)

  it('added to a record by authority.add is a default of that authority', function()
    local add = host.layer { name = 'a.lua',
      { 'authority.add', 'docker', { sockets = { '/srv/d.sock' } } } }
    local got = socket({ add }, '/srv/d.sock')
    assert.are.same({ 'refused', 'a.lua:1' }, { got.verdict, got.from })
    local grant = host.layer { name = 'b.lua', { 'authority.grant', 'docker' } }
    assert.are.equal('reachable', socket({ add, grant }, '/srv/d.sock').verdict)
  end)

  it('of a folder for good covers the sockets in it, whatever is granted', function()
    local hide = host.layer { name = 'a.lua', { 'file.hide', '/run' } }
    for _, grant in ipairs { site('authority.grant', 'docker'),
      site('socket.grant', '/run/docker.sock') } do
      local got = socket { hide, grant }
      assert.are.same({ 'refused', 'a.lua:1' }, { got.verdict, got.from })
    end
  end)

  it('by default of a folder is lifted for the socket of a granted authority that is put back, '
    .. 'but not for one that a project added to it', function()
    local more = { secrets = { { name = 's', from = 's.lua', files = { '/srv' } } },
      authorities = { DOCKER, { name = 'house', grants = 'x', from = 'house.lua', env = {},
        sockets = { '/run/house.sock' } } } }
    local grant = site('authority.grant', { 'docker', 'house' })
    for trust, wanted in pairs { site = 'reachable', project = 'refused' } do
      local add = host.layer { name = 'a.lua', trust = trust,
        { 'authority.add', 'house', { sockets = { '/srv/d.sock' } } } }
      local got = socket({ add, grant }, '/srv/d.sock', more)
      assert.are.same({ trust, wanted }, { trust, got.verdict })
    end
    -- Docker's is the one of its record; another name of it stays hidden.
    local add = site('authority.add', 'docker', { sockets = { '/srv/d.sock' } })
    assert.are.equal('refused', socket({ add, grant }, '/srv/d.sock', more).verdict)
  end)

  it('of credential files stays when their authority is granted', function()
    local resolved = resolved_with { site('authority.grant', 'docker') }
    assert.are.equal('hidden', verdict.file(resolved, '/home/ada/.docker/config.json').verdict)
  end)
end)

describe('an abstract name', function()
  local function abstract(more, statements)
    local facts, door = host.facts(more)
    local layers = { (host.layer(statements)) }
    return verdict.abstract((host.resolve { facts = facts, door = door, layers = layers }), 'bus')
  end

  it('is refused by its line, by the network or by the scope', function()
    local refuse, net = { 'socket.refuse', '@bus' }, { 'net', 'host' }
    assert.are.equal('refused by name', abstract({}, { refuse }).reason)
    assert.are.equal('refused by name', abstract({}, { net, refuse }).reason)
    assert.are.equal('refused', abstract({}, {}).verdict)
    assert.are.equal('a Landlock scope closes all abstract names of the host',
      abstract({}, { net }).reason)
  end)

  it('is reachable where a layer accepts that nothing refuses it, whatever a line says', function()
    local got = abstract({ landlock_scopes = false }, { { 'net', 'host' },
      { 'accept', 'abstract_sockets' }, { 'socket.refuse', '@bus' } })
    assert.are.same({ 'reachable', 'site.lua:2' }, { got.verdict, got.from })
    assert.are.equal('refused', abstract({ landlock_scopes = false },
      { { 'accept', 'abstract_sockets' }, { 'socket.refuse', '@bus' } }).verdict)
  end)
end)

describe('files', function()
  local function file(layers, where)
    local resolved = resolved_with(layers, {
      secrets = { { name = 'ssh', from = 'ssh.lua', files = { '~/.ssh' } } },
      protected = { { name = 'git', from = 'git.lua', files = { '.git/hooks' } } },
    })
    return verdict.file(resolved, where).verdict
  end

  it('are readable, writable in the root, hidden and protected by records', function()
    assert.are.equal('readable', file({}, '/etc/hosts'))
    assert.are.equal('writable', file({}, '/home/ada/work/x'))
    assert.are.equal('hidden', file({}, '/home/ada/.ssh/id'))
    assert.are.equal('protected', file({}, '/home/ada/work/.git/hooks/pre-commit'))
    assert.are.equal('private', file({}, '/tmp/x'))
  end)

  it('are protected while absent by a plain last part, not by a star', function()
    local line = host.layer { { 'file.protect', { '.mcp.jso[n]', '*/.git/config' } } }
    assert.are.equal('writable', file({ line }, '/home/ada/work/.mcp.json'))
    assert.are.equal('protected', file({ line }, '/home/ada/work/below/.git/config'))
  end)

  it('stay hidden below a grant that is above the hidden name', function()
    local grant = host.layer { { 'file.write', '~' } }
    assert.are.equal('hidden', file({ grant }, '/home/ada/.ssh/id'))
    assert.are.equal('protected', file({ grant }, '/home/ada/work/.git/hooks'))
  end)

  it('are shown again by a grant that names them, and only they', function()
    local grant = host.layer { { 'file.read', '~/.ssh/known_hosts' } }
    assert.are.equal('readable', file({ grant }, '/home/ada/.ssh/known_hosts'))
    assert.are.equal('hidden', file({ grant }, '/home/ada/.ssh/id'))
  end)

  it('of an explicit hide are shown only by its own except', function()
    local hide = host.layer { { 'file.hide', { '/srv', except = { '/srv/open' } } } }
    local grant = host.layer { name = 'g.lua', { 'file.read', '/srv/closed' } }
    assert.are.equal('hidden', file({ hide, grant }, '/srv/closed'))
    assert.are.equal('readable', file({ hide, grant }, '/srv/open/x'))
  end)
end)

describe('scalars', function()
  local function net(layers, profiles, named)
    local resolved = resolved_with(layers, { profiles = profiles, named = named })
    return resolved.policy.net.value
  end
  local function with_agent()
    return { default = host.default_profile(), agent = host.layer { name = 'agent',
      trust = 'builtin', kind = 'profile', { 'include', 'default' }, { 'net', 'host' } } }
  end

  it('of a profile come before those of the profiles it includes', function()
    assert.are.equal('host', net({}, with_agent(), { { name = 'agent', from = '-p agent' } }))
    assert.are.equal('none', net({}, with_agent()))
  end)

  it('of two profiles and of two layers: the strictest', function()
    local both = { { name = 'agent', from = '-p' }, { name = 'default', from = '-p' } }
    assert.are.equal('none', net({}, with_agent(), both))
    local a, b = host.layer { { 'net', 'host' } }, host.layer { name = 'b.lua', { 'net', 'none' } }
    assert.are.equal('none', net({ a, b }))
    assert.are.equal('none', net({ b, a }))
  end)

  it('of a trusted layer come before the profiles, and a project only tightens', function()
    local host_net = host.layer { { 'net', 'host' } }
    local project = host.layer { name = '.confine.lua', trust = 'project', { 'net', 'none' } }
    assert.are.equal('host', net { host_net })
    assert.are.equal('none', net { host_net, project })
  end)
end)

describe('a policy', function()
  it('tells unknown authorities, profiles and weaknesses with the nearest name', function()
    local layer = host.layer { { 'authority.grant', 'dokcer' }, { 'include', 'defualt' },
      { 'accept', 'late_name' } }
    local _, problems = resolved_with { layer }
    local got = {}
    for i, item in ipairs(problems) do got[i] = problem.text(item) end
    assert.are.same({
      "site.lua:2: unknown profile 'defualt'\n    remedy: did you mean 'default'?",
      "site.lua:1: unknown authority 'dokcer'\n    remedy: did you mean 'docker'?",
      "site.lua:3: unknown weakness 'late_name'\n    remedy: did you mean 'late_names'?",
    }, got)
  end)

  it('does not set one variable twice', function()
    local _, problems = resolved_with { site('env.set', 'CI', '1'),
      (host.layer { name = 'b.lua', { 'env.set', 'CI', '2' } }) }
    assert.are.equal(1, #problems)
    assert.is_truthy(problem.text(problems[1]):find("b.lua:1", 1, true))
    assert.is_truthy(problem.text(problems[1]):find("site.lua:1", 1, true))
  end)

  it('takes the smallest of several limits', function()
    local _, _, _, policy = resolved_with { site('limit', { wall = '60s', pids = 9 }),
      (host.layer { name = 'b.lua', { 'limit', { wall = '5s' } } }) }
    assert.are.same({ wall = { value = 5, from = 'b.lua:1' },
      pids = { value = 9, from = 'site.lua:1' } }, policy.limit)
  end)
end)
