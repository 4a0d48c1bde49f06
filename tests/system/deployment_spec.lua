--- The deployment command on a real machine: what it writes, what it notices, and that it reads
--- hostile things without trusting them.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local ODD = me.home .. '/odd'
local FOLDER = me.home .. '/.config/confine-lua/user.d'
local LAYER = FOLDER .. '/50-discovered.lua'

local function shell(line)
  local outcome = process.run { argv = { 'sh', '-ec', line } }
  assert.are.same({ 0, '' }, { outcome.code, outcome.err })
end

local function site(word, more)
  local argv = { rig.program, 'site', word, '--user' }
  return rig.run(table.move(more or {}, 1, #(more or {}), #argv + 1, argv), { cwd = '/' })
end

--- Starts a process that does nothing, with an environment of the account's and more.
local function sleeper(env)
  local started = process.start { argv = place.argv_as(me, { 'sleep', '600' }), cwd = '/',
    env = place.environment(me, env) }
  -- What comes before it (setpriv) is another user's yet.
  assert(process.poll(5, function()
    return process.slurp(('/proc/%d/comm'):format(started.pid)) == 'sleep\n'
  end))
  return started
end

describe('the deployment command, as ' .. me.as .. ':', function()
  before_each(function()
    rig.fresh_work()
    rig.remove(ODD)
    place.folder(ODD, me)
  end)
  after_each(function()
    rig.stop_all()
    for _, name in ipairs { '.config', '.ssh', '.docker', 'mark' } do
      rig.remove(me.home .. '/' .. name)
    end
    rig.remove '/etc/confine-lua'
  end)

  it('writes the same bytes twice, which load and are clean Lua', function()
    rig.start('ssh_agent', { path = ODD .. '/agent.sock' })
    rig.start('listener', { path = ODD .. "/it's odd.sock" })
    local user = sleeper { DOCKER_HOST = 'unix://' .. ODD .. "/it's odd.sock" }
    local first = site 'init'
    assert.are.same({ 0, '' }, { first.code, first.err })
    local bytes = assert(process.slurp(LAYER))
    assert.is_true(bytes:find(ODD .. '/agent.sock', 1, true) ~= nil, bytes)
    assert.is_true(bytes:find("it\\'s odd.sock", 1, true) ~= nil, bytes)
    assert.are.equal(0, site('init').code)
    assert.are.equal(bytes, process.slurp(LAYER))
    os.remove(LAYER)
    assert.are.equal(0, site('init').code)
    process.stop(user)
    assert.are.equal(bytes, process.slurp(LAYER))
    local checked = rig.run { rig.program, 'check', LAYER }
    assert.are.same({ 0, 'ok\n', '' }, { checked.code, checked.out, checked.err })
    local linted = rig.run({ 'luacheck', '-q', '--no-config', LAYER }, { cwd = '/' })
    assert.are.same({ 0, '' }, { linted.code, linted.err })
  end)

  it('check tells when a new agent appeared, and refresh takes it in', function()
    assert.are.equal(0, site('init').code)
    local same = site 'check'
    assert.are.same({ 0, LAYER .. ': nothing differs\n', '' }, { same.code, same.out, same.err })
    rig.start('ssh_agent', { path = ODD .. '/new.sock' })
    local differs = site 'check'
    assert.are.same({ 1, '' }, { differs.code, differs.err })
    assert.are.equal(('%s differs from what is found now, and a refresh would change:\n'
      .. "+ authority.add('ssh_agent', { sockets = { '%s/new.sock' } })\n      %s\n")
      :format(LAYER, ODD, 'command line of ssh-agent'),
      (differs.out:gsub('; listening socket of ssh%-agent', '')))
    assert.are.equal(0, site('refresh').code)
    assert.are.equal(0, site('check').code)
    assert.are.equal('refused', rig.inside({ 'agent', ODD .. '/new.sock' }).result)
  end)

  it('check tells of what could not be read, and of a layer that no run takes', function()
    assert.are.equal(0, site('init').code)
    assert.are.equal(0, site('check').code)
    local list = me.home .. '/.config/confine-lua/sockets.list'
    shell(('echo no path > %s'):format(list))
    local unread = site 'check'
    assert.are.equal(1, unread.code, unread.out)
    assert.is_truthy(unread.err:find('sockets.list', 1, true), unread.err)
    os.remove(list)
    shell(('chmod 0666 %s'):format(LAYER))
    local open = site 'check'
    assert.are.same({ 1, 'confine-lua site: ' .. LAYER
      .. ': others can write it: no run starts with it\n' }, { open.code, open.err })
    assert.are.equal(125, rig.confined({ argv = { 'true' } }).code)
  end)

  it('refresh keeps what was written by hand', function()
    assert.are.equal(0, site('init').code)
    local own = place.file(FOLDER .. '/60-own.lua', "file.hide '~/own'\n", me)
    rig.start('ssh_agent', { path = ODD .. '/new.sock' })
    assert.are.equal(0, site('refresh').code)
    assert.are.equal("file.hide '~/own'\n", process.slurp(own))
    place.file(LAYER, "socket.refuse '~/mine.sock'\n", me)
    local refused = site 'refresh'
    assert.are.equal(2, refused.code)
    assert.is_true(refused.err:find('written by hand', 1, true) ~= nil, refused.err)
    assert.are.equal("socket.refuse '~/mine.sock'\n", process.slurp(LAYER))
  end)

  it("writes root's layer where every run reads it, and says who may", function()
    local written = rig.run({ rig.program, 'site', 'init' }, { cwd = '/' })
    if me.as == 'root' then
      assert.are.same({ 0, '' }, { written.code, written.err })
      assert.is_true(place.exists '/etc/confine-lua/site.d/50-discovered.lua')
    else
      assert.are.equal(2, written.code)
      assert.is_true(written.err:find('as root, or with --user', 1, true) ~= nil, written.err)
    end
  end)

  describe('hostile inputs:', function()
    local agent

    --- A run of `site init` that takes little time, finds the agent that another process uses, and
    -- complains of something.
    local function finds_the_agent(complaint)
      local user = sleeper { SSH_AUTH_SOCK = agent.sockets[1] }
      local begun = process.now()
      local run = site 'init'
      local took = process.now() - begun
      process.stop(user)
      assert.are.equal(run.err == '' and 0 or 1, run.code)
      assert.is_true(took < 20, ('it took %.1f s'):format(took))
      local layer = assert(process.slurp(LAYER))
      assert.is_true(layer:find(agent.sockets[1], 1, true) ~= nil, layer)
      assert.is_nil((layer .. run.out .. run.err):find('[%z\1-\9\11-\31\127]'))
      if complaint then
        assert.are.equal(1, run.code)
        assert.is_true(run.err:find(complaint, 1, true) ~= nil, run.err)
      end
      return layer
    end

    before_each(function()
      agent = rig.start('ssh_agent', { path = ODD .. '/agent.sock' })
    end)

    local function context(name)
      local folder = me.home
      for part in ('.docker/contexts/meta/' .. name):gmatch('[^/]+') do
        folder = place.folder(folder .. '/' .. part, me)
      end
      return folder .. '/meta.json'
    end

    it('a docker context of 100 MB and one that is no JSON', function()
      local large = place.file(context 'large', '{"Name":"large"}', me)
      shell('truncate -s 100M ' .. large)
      place.file(context 'broken', '{"Name":"broken","Endpoints":{"docker":{"Host":', me)
      place.file(context 'deep', ('['):rep(200000), me)
      finds_the_agent('larger than')
    end)

    it('an address list with control characters', function()
      local user = sleeper { DBUS_SESSION_BUS_ADDRESS = 'unix:path=/a\27[2J;unix:path=/b\n' }
      finds_the_agent('holds control characters')
      process.stop(user)
    end)

    it('an ssh_config whose Match would run a command', function()
      place.folder(me.home .. '/.ssh', me, 448)
      place.file(me.home .. '/.ssh/config', ('Match exec "touch %s/mark"\n  IdentityAgent '
        .. '%s/matched.sock\n'):format(me.home, ODD), me, 384)
      local layer = finds_the_agent()
      assert.is_true(layer:find(ODD .. '/matched.sock', 1, true) ~= nil, layer)
      assert.is_false(place.exists(me.home .. '/mark'))
    end)

    it('a process with an environment of 2 MB', function()
      local path = ODD .. '/in-a-crowd.sock'
      local crowd = process.start { cwd = '/', env = place.environment(me),
        argv = place.argv_as(me, { 'sh', '-c', [[
          ulimit -s 65536
          value=$(head -c 120000 /dev/zero | tr '\0' x)
          for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do export V$i=$value; done
          SSH_AUTH_SOCK=$0 exec sleep 600]], path }) }
      local size = process.poll(10, function()
        local env = process.slurp(('/proc/%d/environ'):format(crowd.pid))
        return env and #env > 2000000 and #env
      end)
      local layer = finds_the_agent()
      process.stop(crowd)
      assert.is_true(size ~= nil, 'the environment is too small')
      assert.is_true(layer:find(path, 1, true) ~= nil, layer)
    end)

    it('a socket whose name holds a line feed and an escape, also shown by `sockets`', function()
      local path = ODD .. '/two\nlines\27[31m.sock'
      rig.start('listener', { path = path })
      finds_the_agent()
      local told = rig.run { rig.program, 'sockets' }
      assert.are.same({ 0, '' }, { told.code, told.err })
      assert.is_true(told.out:find('two\\nlines\\e[31m.sock', 1, true) ~= nil, told.out)
      assert.is_nil(told.out:find('\27', 1, true))
      local json = rig.run { rig.program, 'sockets', '--json' }
      assert.is_true(json.out:find('two\\nlines\\u001b[31m.sock', 1, true) ~= nil, json.out)
      assert.is_nil(json.out:find('\27', 1, true))
      local policy = rig.policy('odd', ('socket.refuse %q\n'):format(path))
      local inside = rig.inside({ 'http', path }, { flags = { '-p', 'default', '-p', policy } })
      assert.are.equal('ECONNREFUSED', inside.errno)
    end)

    it('in the environment of a run: too long, broken, with control characters', function()
      for _, value in ipairs { ('x'):rep(100000), 'tcp://\27[2J', 'unix://%zz',
        ('a;'):rep(5000) } do
        local env = { DOCKER_HOST = value, DBUS_SESSION_BUS_ADDRESS = value, SSH_AUTH_SOCK = value }
        local run = rig.confined { env = env, argv = { 'echo', 'ran' } }
        assert.are.same({ 0, 'ran\n', '' }, { run.code, run.out, run.err })
        local checked = rig.run({ rig.program, 'check' }, { env = env })
        assert.are.equal(0, checked.code)
        assert.is_nil(checked.out:find('\27', 1, true))
      end
    end)
  end)
end)
