--- Agents and engines that no list names: found at deployment in other processes' environments, in
--- ssh_config and in docker contexts, and at launch by who owns the listening socket.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local session = require 'tests.rig.session'

local me = rig.me
local ODD = me.home .. '/odd'
-- A real agent under a name that no record knows.
local PROGRAM = '/srv/house-agent'
local LAYER = me.home .. '/.config/confine-lua/user.d/50-discovered.lua'

local function shell(line)
  local outcome = process.run { argv = { 'sh', '-ec', line } }
  assert.are.same({ 0, '' }, { outcome.code, outcome.err })
end

--- Runs the deployment command on the account's own layer.
local function site(word)
  return rig.run({ rig.program, 'site', word, '--user' }, { cwd = '/' })
end

--- The two lines that `sockets` has for a name.
local function told(name, env)
  local outcome = rig.run({ rig.program, 'sockets', name }, { env = env })
  assert.are.same({ 0, '' }, { outcome.code, outcome.err })
  local pattern = '\n(%S[^\n]*' .. name:gsub('%p', '%%%0') .. ')\n +([^\n]*)'
  local first, second = outcome.out:match(pattern)
  return { first and first:match('^%S+'), first and first:match('^%S+ +%S+ +(%S+)'),
    second and second:match('  (%S.*)$') }
end

--- Nothing knows the agent: the control of each test.
local function is_reachable(daemon)
  assert.are.equal('reached', rig.outside(daemon.ready[1]).result)
  assert.are.equal('reached', rig.inside(daemon.ready[1]).result)
  assert.are.equal('off-list', told(daemon.sockets[1])[1])
end

--- The site's layer refuses it and `sockets` names the layer's line.
local function is_refused_by_site(daemon, why)
  assert.are.equal('refused', rig.inside(daemon.ready[1]).result)
  local verdict, authority, line = table.unpack(told(daemon.sockets[1]))
  assert.are.same({ 'refused', 'ssh_agent' }, { verdict, authority })
  local number = tonumber(line:match('50%-discovered%.lua:(%d+)$'))
  local lines = {}
  for text in io.lines(LAYER) do lines[#lines + 1] = text end
  assert.are.equal(('authority.add(\'ssh_agent\', { sockets = { \'%s\' } })')
    :format(daemon.sockets[1]), lines[number])
  assert.are.equal('-- ' .. why, lines[number - 1])
end

describe('discovery, as ' .. me.as .. ':', function()
  setup(function() shell(('cp /usr/bin/ssh-agent %s && chmod 755 %s'):format(PROGRAM, PROGRAM)) end)
  before_each(function()
    rig.fresh_work()
    rig.remove(ODD)
    place.folder(ODD, me)
  end)
  after_each(function()
    rig.stop_all()
    rig.remove(me.home .. '/.config')
    rig.remove(me.home .. '/.ssh')
    rig.remove(me.home .. '/.docker')
  end)

  it("an agent that only another's environment names is refused after a refresh", function()
    local path = ODD .. '/used.sock'
    local agent = rig.start('ssh_agent', { path = path, program = PROGRAM })
    is_reachable(agent)
    assert.are.equal(0, site('init').code)
    is_reachable(agent)
    local user = process.start { argv = place.argv_as(me, { 'sleep', '600' }), cwd = '/',
      env = place.environment(me, { SSH_AUTH_SOCK = path }) }
    local refreshed = site 'refresh'
    process.stop(user)
    assert.are.same({ 0, '' }, { refreshed.code, refreshed.err })
    is_refused_by_site(agent, 'variable SSH_AUTH_SOCK')
  end)

  it('an agent that only IdentityAgent names is refused after a refresh', function()
    local path = ODD .. '/identity.sock'
    local agent = rig.start('ssh_agent', { path = path, program = PROGRAM })
    is_reachable(agent)
    place.folder(me.home .. '/.ssh', me, 448)
    place.file(me.home .. '/.ssh/config', 'Host far\n  IdentityAgent ~/odd/identity.sock\n', me,
      384)
    assert.are.equal(0, site('init').code)
    is_refused_by_site(agent, 'IdentityAgent of ssh_config')
  end)

  it('an agent that only its owner tells is refused at launch', function()
    local agent = rig.start('ssh_agent', { path = ODD .. '/owned.sock' })
    assert.are.equal('reached', rig.outside(agent.ready[1]).result)
    assert.are.equal('ECONNREFUSED', rig.inside(agent.ready[1]).errno)
    local verdict, authority, line = table.unpack(told(agent.sockets[1]))
    assert.are.same({ 'refused', 'ssh_agent' }, { verdict, authority })
    assert.are.equal('owner: ssh-agent (pid N)', (line:gsub('%d+', 'N')))
    local explained = rig.run { rig.program, 'explain', agent.sockets[1] }
    for _, words in ipairs { ': refused', 'owner: ssh-agent (pid ', 'every ssh key',
      "authority.grant 'ssh_agent'" } do
      assert.is_true(explained.out:find(words, 1, true) ~= nil, explained.out)
    end
  end)

  it('an agent that only its owner tells is refused wherever it listens', function()
    for _, folder in ipairs { '/tmp', me.runtime, '/srv/anywhere', '/run/anywhere' } do
      if not place.exists(folder) then place.folder(folder, me) end
      local agent = rig.start('ssh_agent', { path = folder .. '/house.sock' })
      assert.are.same({ folder, 'reached' }, { folder, rig.outside(agent.ready[1]).result })
      assert.are.same({ folder, 'refused' }, { folder, rig.inside(agent.ready[1]).result })
      rig.stop(agent)
      os.remove(folder .. '/house.sock')
    end
  end)

  it('an agent with a relative name is refused in the folder that it is found in', function()
    local agent = process.start { argv = place.argv_as(me, { 'ssh-agent', '-D', '-a', 'rel.sock' }),
      env = place.environment(me), cwd = rig.work }
    local attempt = { 'agent', rig.work .. '/rel.sock' }
    local ready = process.poll(5, function() return rig.outside(attempt).result == 'reached' end)
    local inside = rig.inside(attempt)
    process.stop(agent)
    assert.are.same({ true, 'refused' }, { ready, inside.result })
  end)

  it('each daemon is known by its owner at a path that no list names', function()
    for _, name in ipairs { 'ssh_agent', 'podman', 'session_bus' } do
      if not rig.lacks(name) then
        local daemon = rig.start(name, { path = ODD .. '/' .. name .. '.sock' })
        assert.are.same({ name, 'reached' }, { name, rig.outside(daemon.ready[1]).result })
        assert.are.same({ name, 'ECONNREFUSED' }, { name, rig.inside(daemon.ready[1]).errno })
        rig.stop(daemon)
      end
    end
  end)

  it('what an owner tells is refused by its other names, and after a restart', function()
    local path = ODD .. '/owned.sock'
    local agent = rig.start('ssh_agent', { path = path })
    rig.symlink(path, me.home .. '/agent-link')
    place.folder('/srv/second', me)
    shell(('ln %s %s/hard && mount --bind %s /srv/second'):format(path, ODD, ODD))
    local inside = session.open()
    local names = { path, ODD .. '/hard', me.home .. '/agent-link', '/srv/second/owned.sock' }
    local seen = {}
    for _, name in ipairs(names) do
      local attempt = { 'agent', name }
      assert.are.same({ name, 'reached' }, { name, rig.outside(attempt).result })
      seen[#seen + 1] = inside:attempt(attempt).result
    end
    rig.stop(agent)
    os.remove(path)
    agent = rig.start('ssh_agent', { path = path })
    seen[#seen + 1] = rig.outside(agent.ready[1]).result
    seen[#seen + 1] = inside:attempt(agent.ready[1]).result
    inside:close()
    shell 'umount /srv/second'
    assert.are.same({ 'refused', 'refused', 'refused', 'refused', 'reached', 'refused' }, seen)
  end)

  it("another user's daemon cannot be seen and makes no authority", function()
    if me.as == 'root' then return end
    local path = '/srv/others-agent.sock'
    rig.start('ssh_agent', { path = path, account = 'root' })
    rig.share(path)
    assert.are.equal('reached', rig.outside({ 'connect', path }).result)
    assert.are.equal('reached', rig.inside({ 'connect', path }).result)
    local verdict, authority = table.unpack(told(path))
    assert.are.same({ 'off-list', '-' }, { verdict, authority })
  end)

  it('a socket that a record names needs one grant, whoever owns it', function()
    local path = me.runtime .. '/gnupg/S.gpg-agent'
    place.folder(me.runtime .. '/gnupg', me, 448)
    local agent = rig.start('ssh_agent', { path = path })
    assert.are.equal('refused', rig.inside(agent.ready[1]).result)
    assert.are.equal('refused',
      rig.inside(agent.ready[1], { flags = { '--grant', 'ssh_agent' } }).result)
    assert.are.equal('reached',
      rig.inside(agent.ready[1], { flags = { '--grant', 'gpg_agent' } }).result)
    rig.remove(me.runtime .. '/gnupg')
  end)

  it('what a variable leads to is refused, whatever characters it holds', function()
    for _, name in ipairs { '$x', '[a]*', 'a b', '~', '$HOME' } do
      local daemon = rig.start('listener', { path = place.folder(ODD .. '/' .. name, me) .. '/s' })
      local path = daemon.sockets[1]
      assert.are.same({ name, 'reached' }, { name, rig.inside(daemon.ready[1]).result })
      local inside = rig.inside(daemon.ready[1], { env = { DOCKER_HOST = 'unix://' .. path } })
      assert.are.same({ name, 'refused' }, { name, inside.result })
    end
  end)

  it('explain says which variable led to a refused socket', function()
    local path = ODD .. '/engine.sock'
    rig.start('listener', { path = path })
    local env = { DOCKER_HOST = 'unix://' .. path }
    local explained = rig.run({ rig.program, 'explain', path }, { env = env })
    for _, words in ipairs { ': refused', 'environment: DOCKER_HOST', 'led by   the variable' } do
      assert.is_true(explained.out:find(words, 1, true) ~= nil, explained.out)
    end
    assert.are.same({ 'refused', 'docker', 'environment: DOCKER_HOST' }, told(path, env))
  end)

  it("an endpoint of TCP is named as reachable under net 'host', and only there", function()
    local env = { DOCKER_HOST = 'tcp://127.0.0.1:2375' }
    local words = 'docker at tcp://127.0.0.1:2375 (environment: DOCKER_HOST)'
    local run = rig.confined { says = true, env = env, flags = { '-p', 'agent' },
      argv = { 'true' } }
    assert.is_true(run.err:find('leaves reachable: ' .. words .. '\n', 1, true) ~= nil, run.err)
    assert.are.equal(2, select(2, run.err:gsub('\n', '')))
    run = rig.confined { says = true, env = env, argv = { 'true' } }
    assert.is_nil(run.err:find('2375', 1, true))
    local policy = rig.policy('net', "net 'host'\n")
    local checked = rig.run({ rig.program, 'check', policy }, { env = env })
    assert.are.equal(0, checked.code)
    assert.is_true(checked.out:find("net 'host' leaves the docker endpoint tcp://127.0.0.1:2375 "
      .. 'reachable (environment: DOCKER_HOST)', 1, true) ~= nil, checked.out)
  end)

  it('so is one of a built-in record where something listens', function()
    local words = 'docker at tcp://localhost:2376 (policies/authorities/docker.lua)'
    local function says()
      local run = rig.confined { says = true, flags = { '-p', 'agent' }, argv = { 'true' } }
      assert.are.equal(0, run.code, run.err)
      return run.err:find('leaves reachable: ' .. words, 1, true) ~= nil
    end
    assert.is_false(says())
    local listen = 'import socket, time; s = socket.create_server(("127.0.0.1", 2376)); '
      .. 'time.sleep(60)'
    local daemon =
      process.start { argv = place.argv_as(me, { 'python3', '-c', listen }), cwd = '/' }
    assert.is_true(process.poll(5, says))
    local explained = rig.run { rig.program, 'explain', '-p', 'agent', 'authority:docker' }
    assert.are.equal('authority:docker: reachable', explained.out:match '^[^\n]+')
    process.stop(daemon)
  end)

  it('an engine of a docker context is refused after a refresh, also where it listens later',
    function()
      local path = ODD .. '/context.sock'
      local meta = me.home .. '/.docker/contexts/meta/7fb1'
      place.folder(me.home .. '/.docker', me)
      place.folder(me.home .. '/.docker/contexts', me)
      place.folder(me.home .. '/.docker/contexts/meta', me)
      place.folder(meta, me)
      place.file(meta .. '/meta.json',
        ('{"Name":"odd","Endpoints":{"docker":{"Host":"unix://%s"}}}'):format(path), me)
      assert.are.equal(0, site('init').code)
      local inside = session.open()
      local engine = rig.start('listener', { path = path })
      local outside, within = rig.outside(engine.ready[1]), inside:attempt(engine.ready[1])
      inside:close()
      assert.are.same({ 'reached', 'refused' }, { outside.result, within.result })
      assert.are.equal('refused', rig.inside(engine.ready[1]).result)
    end)

  describe('behind a link a `..` means what the host says', function()
    local FAR, THERE = ODD .. '/far', ODD .. '/lnk/..'

    before_each(function()
      place.folder(FAR .. '/dir', me)
      rig.symlink('far/dir', ODD .. '/lnk')
    end)

    it('in a variable that names a socket', function()
      local daemon = rig.start('listener', { path = FAR .. '/a.sock' })
      local near = rig.start('listener', { path = ODD .. '/a.sock' })
      assert.are.equal('reached', rig.outside({ 'http', THERE .. '/a.sock' }).result)
      assert.are.equal('reached', rig.inside(daemon.ready[1]).result)
      for _, env in ipairs { { SSH_AUTH_SOCK = THERE .. '/a.sock' },
        { DOCKER_HOST = 'unix://' .. THERE .. '/a.sock' } } do
        assert.are.equal('ECONNREFUSED', rig.inside(daemon.ready[1], { env = env }).errno)
        assert.are.equal('reached', rig.inside(near.ready[1], { env = env }).result)
        local told_of = rig.run({ rig.program, 'explain', THERE .. '/a.sock' }, { env = env })
        assert.are.equal(FAR .. '/a.sock: refused', told_of.out:match '^[^\n]*')
      end
    end)

    it('in a variable that names a folder, in a home, in a line', function()
      local policy = rig.policy('there', ("file.hide '%s/line'\n"):format(THERE))
      for _, row in ipairs {
        { 'cf/gh/hosts.yml', { env = { XDG_CONFIG_HOME = THERE .. '/cf' } } },
        { 'gnupg/private-keys-v1.d/key', { env = { GNUPGHOME = THERE .. '/gnupg' } } },
        { 'home/.ssh/id', { env = { HOME = THERE .. '/home' } } },
        { 'line', { flags = { '-p', 'default', '-p', policy } } },
      } do
        local where, run = FAR .. '/' .. row[1], row[2]
        place.folder(where:match '^(.*)/', me)
        place.file(where, 'secret', me)
        run.argv = { 'cat', where }
        assert.are.equal('secret', rig.confined({ argv = run.argv }).out)
        local confined = rig.confined(run)
        assert.are.same({ row[1], 1, '' }, { row[1], confined.code, confined.out })
      end
    end)

    it('in the runtime folder', function()
      place.folder(FAR .. '/run', me, 448)
      local daemon = rig.start('listener', { path = FAR .. '/run/docker.sock' })
      assert.are.equal('reached', rig.inside(daemon.ready[1]).result)
      assert.are.equal('refused',
        rig.inside(daemon.ready[1], { env = { XDG_RUNTIME_DIR = THERE .. '/run' } }).result)
    end)
  end)

  it('the Docker engine at an odd DOCKER_HOST is refused, also when it is made again #long',
    function()
      local lacks = rig.lacks 'dockerd'
      if lacks then
        pending(lacks)
        return
      end
      local path = '/srv/engine/odd.sock'
      local options = { path = path, group = me.name }
      local engine = rig.start('dockerd', options)
      assert.are.equal('reached', rig.outside(engine.ready[1]).result)
      local inside = session.open { env = engine.exports }
      local seen = { inside:attempt(engine.ready[1]).result }
      rig.stop(engine)
      engine = rig.start('dockerd', options)
      seen[2] = rig.outside(engine.ready[1]).result
      seen[3] = inside:attempt(engine.ready[1]).result
      inside:close()
      assert.are.same({ 'refused', 'reached', 'refused' }, seen)
      if me.as == 'root' then
        assert.are.equal('ECONNREFUSED', rig.inside(engine.ready[1]).errno)
      end
    end)
end)
