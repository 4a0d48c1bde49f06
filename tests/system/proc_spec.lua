--- Other processes, the kernel's settings, shared memory, queues and the terminal.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local SECRET = 'secret-' .. os.time() .. '-' .. rig.serial()
local HEX = 'hex:' .. SECRET:gsub('.', function(c) return ('%02x'):format(c:byte()) end)
local MASKED = { rig.masked_proc }

--- A process of the account outside, with the secret in its environment and its command line; its
--- number is above every number inside.
local function target()
  for _ = 1, 60 do process.run { argv = { 'true' } } end
  local other = process.start { argv = place.argv_as(me, { 'sh', '-c', 'sleep 600', SECRET }),
    env = place.environment(me, { SECRET_VALUE = SECRET }), cwd = '/' }
  -- It is root's until setpriv has run.
  local attempt = { 'process-entry', tostring(math.tointeger(other.pid)), 'environ' }
  assert(process.poll(5, function() return rig.outside(attempt).result == 'reached' end))
  return other
end

describe('processes and the kernel, as ' .. me.as .. ':', function()
  local other

  setup(function()
    rig.fresh_work()
    other = target()
  end)
  teardown(function()
    process.stop(other)
  end)

  for _, attempt in ipairs { 'signal', 'trace', 'memory', 'pidfd' } do
    it('a process outside is out of reach: ' .. attempt, function()
      local scope = process.slurp '/proc/sys/kernel/yama/ptrace_scope'
      if attempt == 'trace' and me.as ~= 'root' and scope and scope ~= '0\n' then
        pending 'the host lets nobody trace (kernel.yama.ptrace_scope)'
        return
      end
      local pid = tostring(math.tointeger(other.pid))
      assert.are.equal('reached', rig.outside({ attempt, pid }).result)
      assert.are.equal('refused', rig.inside({ attempt, pid }).result)
    end)
  end

  for _, entry in ipairs { 'environ', 'root', 'fd/0', 'mem', 'cmdline', 'stat' } do
    it('a process outside has no entry inside: ' .. entry, function()
      local attempt = { 'process-entry', tostring(math.tointeger(other.pid)), entry }
      if entry ~= 'mem' then assert.are.equal('reached', rig.outside(attempt).result) end
      assert.are.equal('refused', rig.inside(attempt).result)
    end)
  end

  it("the command's own entries are readable", function()
    local inside = rig.confined { argv = { 'sh', '-c',
      'grep -q "^Name:.grep" /proc/self/status && cat /proc/self/cmdline && ls /proc/self/fd' } }
    assert.are.same({ 0, '' }, { inside.code, inside.err })
  end)

  it('what root may set elsewhere in /proc cannot be opened for writing', function()
    -- Opened for appending, nothing is written. bwrap covers the first by itself, the other we do.
    for _, name in ipairs { '/proc/irq/default_smp_affinity', '/proc/mtrr' } do
      local argv = { 'sh', '-c', ': >> ' .. name }
      if place.exists(name) then
        assert.are.same({ name, me.uid == 0 }, { name, rig.run(argv).code == 0 })
        assert.are.same({ name, false }, { name, rig.confined({ argv = argv }).code == 0 })
      end
    end
  end)

  it('core_pattern cannot be written', function()
    local root = place.of 'root'
    assert.are.equal('reached', rig.outside({ 'core-pattern' }, { as = root }).result)
    assert.are.equal('refused', rig.inside({ 'core-pattern' }).result)
  end)

  it('no other kernel setting can be written', function()
    for _, path in ipairs { '/proc/sys/vm/swappiness', '/proc/sys/kernel/hostname',
      '/proc/sys/kernel/randomize_va_space' } do
      local attempt = { 'setting', path }
      assert.are.equal('reached', rig.outside(attempt, { as = place.of 'root' }).result)
      assert.are.equal('refused', rig.inside(attempt).result)
    end
  end)

  it('System V shared memory, queues and semaphores of outside are absent', function()
    local keys = {}
    for attempt, flags in pairs { ['sysv-shm'] = { '-M', '4096' }, ['sysv-queue'] = { '-Q' },
      ['sysv-semaphore'] = { '-S', '1' } } do
      local made = rig.run({ 'ipcmk', '-p', '0600', table.unpack(flags) })
      assert.are.equal(0, made.code)
      local id = made.out:match '%d+'
      local listed = process.slurp('/proc/sysvipc/' .. ({ ['sysv-shm'] = 'shm',
        ['sysv-queue'] = 'msg', ['sysv-semaphore'] = 'sem' })[attempt])
      local key = tonumber(listed:match('\n%s*(%-?%d+)%s+' .. id .. '%s'))
      keys[attempt] = ('0x%x'):format(key & 0xffffffff)
    end
    for attempt, key in pairs(keys) do
      assert.are.same({ attempt, 'reached' }, { attempt, rig.outside({ attempt, key }).result })
      local inside = rig.inside { attempt, key }
      assert.are.same({ attempt, 'ENOENT' }, { attempt, inside.errno })
    end
  end)

  it('POSIX shared memory of outside is absent', function()
    place.file('/dev/shm/rig', 'x', me, 384)
    assert.are.equal('reached', rig.outside({ 'posix-shm', '/rig' }).result)
    assert.are.equal('ENOENT', rig.inside({ 'posix-shm', '/rig' }).errno)
  end)

  it('a POSIX message queue of outside is absent', function()
    local queues = place.folder '/srv/queues'
    assert.are.equal(0, process.run({ argv = { 'mount', '-t', 'mqueue', 'rig', queues } }).code)
    place.file(queues .. '/rig', '', me, 384)
    assert.are.equal('reached', rig.outside({ 'posix-queue', '/rig' }).result)
    assert.are.equal('ENOENT', rig.inside({ 'posix-queue', '/rig' }).errno)
    process.run { argv = { 'umount', queues } }
  end)

  it('the command has no controlling terminal', function()
    local function under_terminal(argv)
      return rig.run({ 'script', '-qec', table.concat(argv, ' '), '/dev/null' })
    end
    local attempt = rig.tree .. '/build/confine-probe try controlling-terminal'
    local outside = under_terminal { attempt }
    local inside = under_terminal { rig.program, 'run', '-q', '--', attempt }
    assert.are.equal('reached', rig.finding(outside).result)
    assert.are.equal('refused', rig.finding(inside).result)
  end)

  it('no descriptor beyond 0, 1 and 2 is inherited', function()
    local shell = { 'sh', '-c', 'exec 3<>/dev/null 9<>/dev/null; exec "$@"', 'sh' }
    local outside = rig.outside({ 'descriptors' }, { wrap_as = shell })
    assert.are.equal('reached', outside.result)
    assert.are.equal('refused', rig.inside({ 'descriptors' }, { wrap_as = shell }).result)
  end)
end)

describe('a masked /proc, as ' .. me.as .. ':', function()
  local wrapped = { wrap = MASKED }

  setup(function() rig.fresh_work() end)

  --- Runs a shell line confined in a masked /proc, while a process outside holds the secret.
  local function attempt(words, flags)
    local holder = 'env SECRET_VALUE=' .. SECRET .. ' sh -c "sleep 600" ' .. SECRET ..
      ' & trap "kill $!" EXIT; "$@"'
    return rig.inside(words, { wrap = MASKED, flags = flags,
      wrap_as = { 'sh', '-c', holder, 'sh' } })
  end

  it('really keeps a procfs from being mounted', function()
    local bwrap = { 'bwrap', '--unshare-user', '--unshare-pid', '--ro-bind', '/', '/', '--proc',
      '/proc', 'true' }
    assert.are.equal(0, rig.run(bwrap).code)
    local masked = process.run { argv = { MASKED[1], table.unpack(place.argv_as(me, bwrap)) } }
    assert.are.equal(1, masked.code)
    assert.is_true(masked.err:find("Can't mount proc", 1, true) ~= nil, masked.err)
  end)

  it('default starts there, and bounds say what is weaker', function()
    local bounds = me.home .. '/bounds.json'
    local run = rig.confined { wrap = MASKED, argv = { 'cat', '/proc/self/status' },
      flags = { '--bounds', bounds } }
    assert.are.equal(0, run.code)
    assert.is_true(run.out:find('Name:\tcat', 1, true) ~= nil, run.out)
    local plain = rig.confined { argv = { 'true' }, flags = { '--bounds', bounds .. '.plain' } }
    assert.are.equal(0, plain.code)
    assert.are.equal('fresh', (process.slurp(bounds .. '.plain') or ''):match '"proc":%s*"([^"]+)"')
    local weaker = (process.slurp(bounds) or ''):match '"proc":%s*"([^"]+)"'
    assert.is_true(weaker ~= nil and weaker ~= 'fresh', tostring(weaker))
  end)

  it("a launcher's secret is in no environment and no command line there", function()
    for _, name in ipairs { 'search-environ', 'search-cmdline' } do
      local finding = attempt { name, HEX }
      assert.are.same({ name, 'refused' }, { name, finding.result })
    end
  end)

  it('a run starts there while processes outside come and go', function()
    local herd = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do (while :; do sleep 0.02; done) & done; '
      .. 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do "$@" || exit; done'
    local run = rig.confined { wrap = MASKED, wrap_as = { 'sh', '-c', herd, 'sh' },
      argv = { 'echo', 'started' } }
    assert.are.same({ 0, '', ('started\n'):rep(20) }, { run.code, run.err, run.out })
  end)

  it("proc 'fresh' refuses to start there and says why", function()
    local policy = rig.policy('fresh', "include 'default'\nproc 'fresh'\n")
    local ordinary = rig.confined { argv = { 'true' }, flags = { '-p', policy } }
    assert.are.same({ 0, '' }, { ordinary.code, ordinary.err })
    local run = rig.confined { wrap = MASKED, flags = { '-p', policy },
      argv = { 'touch', 'started' } }
    assert.are.same({ 125, '' }, { run.code, run.out })
    assert.is_true(run.err:find('proc', 1, true) ~= nil, run.err)
    assert.is_true(not place.exists(rig.work .. '/started'))
  end)

  --- What a command can set of a process that starts outside once it runs.
  local function settings_of_later(flags)
    local write = 'for name in oom_score_adj coredump_filter; do '
      .. '(echo %d > /proc/$late/$name) 2>/dev/null && echo $name; done; '
    local outside = 'rm -f late started; "$@" & while [ ! -e started ]; do sleep 0.05; done; '
      .. 'sleep 600 & late=$!; trap "kill $late" EXIT; ' .. write:format(8)
      .. 'echo $late > late.new; mv late.new late; wait %1'
    local inside = 'touch started; while [ ! -e late ]; do sleep 0.05; done; '
      .. 'echo inside; read late < late; ' .. write:format(9) .. 'true'
    return rig.confined { wrap = MASKED, flags = flags, argv = { 'sh', '-c', inside },
      wrap_as = { 'bash', '-c', outside, 'bash' } }
  end

  it('nothing can be set of a process that starts later, unless user namespaces are granted',
    function()
      local bounds = me.home .. '/bounds-later.json'
      local run = settings_of_later { '--bounds', bounds }
      local both = 'oom_score_adj\ncoredump_filter\n'
      assert.are.same({ 0, both .. 'inside\n', '' }, { run.code, run.out, run.err })
      assert.is_nil((process.slurp(bounds):find('later_settings', 1, true)))
      local policy = rig.policy('userns', "include 'default'\nuserns 'granted'\n")
      run = settings_of_later { '-p', policy, '--bounds', bounds }
      assert.are.same({ 0, both .. 'inside\n' .. both, '' }, { run.code, run.out, run.err })
      assert.is_truthy(process.slurp(bounds):find('later_settings', 1, true))
    end)

  it('user namespaces that are granted can be mapped there', function()
    local policy = rig.policy('userns', "include 'default'\nuserns 'granted'\n")
    local run = rig.confined { wrap = MASKED, flags = { '-p', policy },
      argv = { 'unshare', '-Ur', 'id', '-u' } }
    assert.are.same({ me.uid == 0 and 1 or 0, me.uid == 0 and '' or '0\n' },
      { run.code, run.out })
  end)

  it('core_pattern cannot be written there', function()
    assert.are.equal('refused', rig.inside({ 'core-pattern' }, wrapped).result)
  end)
end)
