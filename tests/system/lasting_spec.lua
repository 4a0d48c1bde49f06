--- Refusals last as long as the run: while a confined shell stays, daemons restart, sockets and
--- files appear, folders are made again and the host mounts things, and what was refused stays so.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local session = require 'tests.rig.session'

local me, verdict = rig.me, session.verdict
local WAIT = 5

--- Asks inside until the answer is the one wanted, because a keeper needs its moment.
local function becomes(inside, attempt, wanted)
  local last
  process.poll(WAIT, function()
    last = inside:attempt(attempt).result
    return last == wanted
  end)
  return last
end

local function shell(line)
  local outcome = process.run { argv = { 'sh', '-ec', line } }
  assert.are.same({ 0, '' }, { outcome.code, outcome.err })
end

for _, row in ipairs(session.PLACES) do
  local title, run = row[1], row[2]

  describe(('sockets while the command runs, as %s, with %s:'):format(me.as, title), function()
    local inside
    local folder = me.home .. '/kept'

    before_each(function()
      rig.fresh_work()
      rig.remove(folder)
      place.folder(folder, me)
      inside = nil
    end)
    after_each(function()
      if inside then inside:close() end
      rig.stop_all()
    end)

    --- Starts the shell with an engine that DOCKER_HOST names.
    local function open(env, flags)
      inside = session.open { env = env, flags = flags, wrap = run.wrap }
    end

    it('a restarted daemon stays refused', function()
      local bus = rig.start 'session_bus'
      open(bus.exports)
      assert.are.equal('refused ECONNREFUSED', verdict(inside:attempt(bus.ready[1])))
      rig.stop(bus)
      os.remove(bus.sockets[1])
      bus = rig.start 'session_bus'
      assert.are.equal('reached', verdict(rig.outside(bus.ready[1])))
      assert.are.same({}, inside:lapses(bus.ready[1]))
    end)

    it('a daemon that renames its new socket over the old one stays refused', function()
      local path = folder .. '/engine.sock'
      local engine = rig.start('listener', { path = path })
      open(engine.exports)
      rig.start('listener', { path = path .. '.new' })
      shell(('mv -f %s.new %s'):format(path, path))
      assert.are.equal('reached', verdict(rig.outside { 'http', path }))
      assert.are.same({}, inside:lapses({ 'http', path }))
    end)

    it('a socket that appears late at a listed path is refused', function()
      open()
      for name, options in pairs { ssh_agent = { path = me.runtime .. '/ssh-agent.socket' },
        gcr_ssh_agent = {}, session_bus = {}, weston = {} } do
        local daemon = rig.start(name, options)
        assert.are.equal('reached', verdict(rig.outside(daemon.ready[1])))
        assert.are.same({ name, {} }, { name, inside:lapses(daemon.ready[1]) })
      end
    end)

    it('a socket that appears late where the environment said is refused', function()
      local path = folder .. '/late.sock'
      open { DOCKER_HOST = 'unix://' .. path }
      rig.start('listener', { path = path })
      assert.are.equal('reached', verdict(rig.outside { 'http', path }))
      assert.are.same({}, inside:lapses({ 'http', path }))
    end)

    it('a socket that only a star of a policy will match is refused', function()
      place.folder('/srv/agents', me)
      place.folder('/run/agents', me)
      local folders, lines = { '/srv/agents', '/run/agents', folder, me.home .. '/none-yet' }, {}
      for i, name in ipairs(folders) do lines[i] = ("socket.refuse '%s/*.sock'\n"):format(name) end
      open(nil, { '-p', 'default', '-p', rig.policy('stars', table.concat(lines)) })
      for _, name in ipairs(folders) do
        place.folder(name, me)
        local daemon = rig.start('listener', { path = name .. '/late.sock' })
        assert.are.same({ name, 'reached' }, { name, verdict(rig.outside(daemon.ready[1])) })
        assert.are.same({ name, {} }, { name, inside:lapses(daemon.ready[1]) })
        os.remove(name .. '/late.sock')
      end
      rig.remove(me.home .. '/none-yet')
    end)

    it('a socket whose folder is removed and made again is refused', function()
      local deep = place.folder(folder .. '/deep', me)
      local engine = rig.start('listener', { path = deep .. '/engine.sock' })
      open(engine.exports)
      rig.stop(engine)
      shell(('mv %s %s.old && rm -rf %s.old'):format(deep, deep, deep))
      place.folder(deep, me)
      rig.start('listener', { path = deep .. '/engine.sock' })
      assert.are.equal('reached', verdict(rig.outside(engine.ready[1])))
      assert.are.same({}, inside:lapses(engine.ready[1]))
    end)

    it('a socket is refused by a hard link and by a symbolic link in the same folder', function()
      local path = folder .. '/engine.sock'
      local engine = rig.start('listener', { path = path })
      shell(('ln %s %s/hard && ln -s engine.sock %s/soft'):format(path, folder, folder))
      open(engine.exports)
      for _, name in ipairs { 'hard', 'soft' } do
        local attempt = { 'http', folder .. '/' .. name }
        assert.are.same({ name, 'reached' }, { name, verdict(rig.outside(attempt)) })
        assert.are.same({ name, 'refused' }, { name, inside:attempt(attempt).result })
      end
    end)

    it('a socket is refused by a hard link in any folder of the caller', function()
      local path, deep = folder .. '/engine.sock', place.folder(me.home .. '/far/deep', me)
      local engine = rig.start('listener', { path = path })
      shell(('ln %s %s/hard && ln %s %s/hard'):format(path, deep, path, rig.work))
      open(engine.exports)
      for _, name in ipairs { deep .. '/hard', rig.work .. '/hard' } do
        assert.are.same({ name, 'reached' }, { name, verdict(rig.outside { 'http', name }) })
        assert.are.same({ name, 'refused' }, { name, inside:attempt({ 'http', name }).result })
        local explained = rig.run({ rig.program, 'explain', name }, { env = engine.exports })
        assert.are.equal(name .. ': refused', explained.out:match '^[^\n]+')
      end
      rig.remove(me.home .. '/far')
    end)

    it('where no socket is reachable that no list names, a late one is not either', function()
      local early = rig.start('listener', { path = rig.work .. '/early.sock' })
      shell(('ln %s/early.sock %s/alias.sock'):format(rig.work, rig.work))
      local policy = rig.policy('closed', "socket.default 'refused'\n")
      open(nil, { '-p', policy })
      local late = rig.start('listener', { path = me.runtime .. '/late.sock' })
      for _, name in ipairs { rig.work .. '/early.sock', rig.work .. '/alias.sock' } do
        assert.are.same({ name, 'reached' }, { name, verdict(rig.outside { 'http', name }) })
        assert.are.same({ name, 'refused' }, { name, inside:attempt({ 'http', name }).result })
      end
      assert.are.equal('reached', verdict(rig.outside(late.ready[1])))
      assert.are.same({}, inside:lapses(late.ready[1]))
      rig.stop(early)
      rig.remove(me.runtime .. '/late.sock')
    end)

    it('where no socket is reachable that no list names, nor is one of a relative name', function()
      local deep = place.folder(me.runtime .. '/only', me)
      local path = deep .. '/s'
      local daemon = process.start { argv = place.argv_as(me, { 'python3', '-c',
        'import os, socket, time; os.chdir("' .. deep .. '"); s = socket.socket(socket.AF_UNIX); '
          .. 's.bind("s"); s.listen(); time.sleep(60)' }), cwd = '/' }
      assert.is_true(process.poll(5, function() return place.exists(path) end))
      open(nil, { '-p', rig.policy('closed', "socket.default 'refused'\n") })
      local attempt = { 'connect', path }
      assert.are.equal('reached', verdict(rig.outside(attempt)))
      assert.are.equal('refused', inside:attempt(attempt).result)
      process.stop(daemon)
      rig.remove(deep)
    end)

    it('a socket is refused by a second mount of its folder', function()
      local path = folder .. '/engine.sock'
      local engine = rig.start('listener', { path = path })
      local second = place.folder('/srv/second', me)
      shell(('mount --bind %s %s'):format(folder, second))
      open(engine.exports)
      local attempt = { 'http', second .. '/engine.sock' }
      local outside, within = rig.outside(attempt), inside:attempt(attempt)
      shell('umount ' .. second)
      assert.are.same({ 'reached', 'refused' }, { verdict(outside), within.result })
    end)

    it('a host mount made later does not appear inside', function()
      local point = place.folder(me.home .. '/stick', me)
      open()
      shell(('mount -t tmpfs -o mode=777 stick %s && echo x > %s/file'):format(point, point))
      local attempt = { 'read', point .. '/file' }
      local outside, within = rig.outside(attempt), inside:attempt(attempt)
      shell('umount ' .. point)
      assert.are.same({ 'reached', 'refused ENOENT' }, { verdict(outside), verdict(within) })
    end)

    it('a refused socket is refused by io_uring, as seqpacket and as datagram', function()
      local kinds = { stream = { 'connect-io-uring' }, seqpacket = { 'connect-seqpacket' },
        datagram = { 'connect-datagram', 'send', 'send-pair' } }
      local lines = { "include 'default'" }
      for kind in pairs(kinds) do
        rig.start('listener', { path = folder .. '/' .. kind, type = kind })
        lines[#lines + 1] = ("socket.refuse '%s/%s'"):format(folder, kind)
      end
      open(nil, { '-p', rig.policy('refused', table.concat(lines, '\n') .. '\n') })
      for kind, attempts in pairs(kinds) do
        for _, name in ipairs(attempts) do
          local attempt = { name, folder .. '/' .. kind }
          assert.are.same({ name, 'reached' }, { name, verdict(rig.outside(attempt)) })
          assert.are.same({ name, 'refused' }, { name, inside:attempt(attempt).result })
        end
      end
    end)

    it('abstract names are refused, with and without the network of the host', function()
      local bus = rig.start('session_bus', { abstract = 'rig-bus' })
      local attempts = { bus.ready[1], { 'connect', '@rig-bus' } }
      for _, flags in ipairs { {}, { '--net', 'host' } } do
        open(bus.exports, flags)
        for _, attempt in ipairs(attempts) do
          assert.are.equal('reached', verdict(rig.outside(attempt)))
          assert.are.equal('refused', inside:attempt(attempt).result)
        end
        inside:close()
        inside = nil
      end
    end)

    it('an off-list socket is reachable before and after its daemon restarts', function()
      for _, path in ipairs { folder .. '/alone.sock', me.runtime .. '/beside.sock' } do
        local other = rig.start('listener', { path = path })
        local bus = rig.start 'session_bus'
        open(bus.exports)
        assert.are.same({ path, 'reached' }, { path, verdict(inside:attempt(other.ready[1])) })
        rig.stop(other)
        os.remove(path)
        rig.start('listener', { path = path })
        assert.are.same({ path, 'reached' }, { path, becomes(inside, other.ready[1], 'reached') })
        assert.are.equal('refused', inside:attempt(bus.ready[1]).result)
        inside:close()
        inside = nil
        rig.stop_all()
      end
    end)

    it('an off-list socket that appears late beside a refused one is reachable', function()
      local bus = rig.start 'session_bus'
      open(bus.exports)
      local path = me.runtime .. '/late-database.sock'
      rig.start('listener', { path = path })
      assert.are.equal('reached', becomes(inside, { 'http', path }, 'reached'))
      assert.are.equal('refused', inside:attempt(bus.ready[1]).result)
    end)
  end)

  describe(('files while the command runs, as %s, with %s:'):format(me.as, title), function()
    local inside
    local SECRET, HEX = 'lasting-secret', 'hex:6c617374696e672d736563726574'

    before_each(function()
      rig.fresh_work()
      place.folder(me.home .. '/.aws', me, 448)
      rig.remove(me.home .. '/.aws/credentials')
    end)
    after_each(function()
      if inside then inside:close() end
      inside = nil
    end)

    it('a hidden file that is rewritten atomically stays hidden', function()
      local path = me.home .. '/.aws/credentials'
      place.file(path, 'old', me, 384)
      inside = session.open { wrap = run.wrap }
      for _ = 1, 10 do
        place.file(path .. '.new', SECRET, me, 384)
        shell(('mv -f %s.new %s'):format(path, path))
        assert.are.equal('reached', verdict(rig.outside { 'find', path, HEX }))
        assert.are.equal('refused', inside:attempt({ 'find', path, HEX }).result)
      end
    end)

    it('no open of a hidden file succeeds while the host rewrites it', function()
      local path = me.home .. '/.aws/credentials'
      place.file(path, SECRET, me, 384)
      inside = session.open { wrap = run.wrap }
      local writer = process.start { argv = place.argv_as(me, { 'sh', '-c', ('while :; do ' ..
        'echo %s > %s.new; mv -f %s.new %s; done'):format(SECRET, path, path, path) }) }
      local outcome = inside:shell(('n=0; i=0; while test $i -lt 2000; do i=$((i + 1)); ' ..
        'read line < %s && n=$((n + 1)); done 2>/dev/null; echo $n'):format(path))
      process.stop(writer)
      assert.are.equal('0\n', outcome.out)
    end)

    it('a hidden file that appears late is hidden', function()
      inside = session.open { wrap = run.wrap }
      for _, name in ipairs { '.aws/credentials', '.netrc', '.docker/config.json' } do
        local path = me.home .. '/' .. name
        rig.remove(path)
        if path:match '^(.*)/' ~= me.home then place.folder(path:match '^(.*)/', me, 448) end
        place.file(path, SECRET, me, 384)
        assert.are.equal('reached', verdict(rig.outside { 'find', path, HEX }))
        assert.are.same({ name, 'refused' },
          { name, inside:attempt({ 'find', path, HEX }).result })
      end
    end)

    it('a file beside a hidden one follows what the host writes', function()
      local path = place.folder(me.home .. '/house', me) .. '/page'
      place.file(me.home .. '/house/ledger', SECRET, me, 384)
      place.file(path, 'first', me)
      local policy = rig.policy('ledger', "include 'default'\nfile.hide '~/house/ledger'\n")
      inside = session.open { wrap = run.wrap, flags = { '-p', policy } }
      assert.are.equal('refused',
        inside:attempt({ 'find', me.home .. '/house/ledger', HEX }).result)
      assert.are.equal('first', inside:shell('cat ' .. path).out)
      place.file(path .. '.new', 'second', me)
      shell(('mv -f %s.new %s'):format(path, path))
      assert.are.equal('second', process.poll(WAIT, function()
        local out = inside:shell('cat ' .. path).out
        return out == 'second' and out
      end))
    end)
  end)
end

describe('descriptors and terminals, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)
  after_each(rig.stop_all)

  --- Opens descriptors in a shell that then becomes the command.
  local function with(redirections)
    return { 'bash', '-c', ('exec %s; exec "$@"'):format(redirections), 'bash' }
  end

  for _, fd in ipairs { 3, 9, 2048 } do
    it('descriptor ' .. fd .. ' is not inherited', function()
      local wrap = { 'prlimit', '--nofile=4096:4096', 'bash', '-c',
        ('exec %d</; exec "$@"'):format(fd), 'bash' }
      local attempt = { 'walk-up', tostring(fd), 'etc/hostname' }
      assert.are.equal('reached', verdict(rig.outside(attempt, { wrap_as = wrap })))
      assert.are.equal('refused EBADF', verdict(rig.inside(attempt, { wrap_as = wrap })))
    end)
  end

  it('a connected socket is not inherited', function()
    local path = me.home .. '/inherited.sock'
    rig.start('listener', { path = path })
    local wrap = { 'python3', '-c', 'import os, socket, sys\n' ..
      's = socket.socket(socket.AF_UNIX)\ns.connect(sys.argv[1])\nos.dup2(s.fileno(), 7)\n' ..
      'os.execvp(sys.argv[2], sys.argv[2:])', path }
    assert.are.equal('reached', verdict(rig.outside({ 'peer', '7' }, { wrap_as = wrap })))
    assert.are.equal('refused EBADF', verdict(rig.inside({ 'peer', '7' }, { wrap_as = wrap })))
  end)

  it('standard input on a folder is refused or leads nowhere', function()
    local wrap = with '</'
    place.file(me.home .. '/.netrc', 'secret', me, 384)
    local attempt = { 'walk-up', '0', (me.home .. '/.netrc'):sub(2) }
    assert.are.equal('reached', verdict(rig.outside(attempt, { wrap_as = wrap })))
    local finding = rig.inside(attempt, { wrap_as = wrap })
    assert.is_true(finding.result ~= 'reached', finding.detail)
  end)

  it('standard input on a file cannot be opened again for writing', function()
    local path = place.file(me.home .. '/input', 'text', me)
    local run = { stdin = path }
    assert.are.equal('reached', verdict(rig.outside({ 'reopen', '0' }, run)))
    local finding = rig.inside({ 'reopen', '0' }, run)
    assert.are.equal('refused', finding.result)
    assert.are.equal('text', rig.confined({ stdin = path, argv = { 'cat' } }).out)
  end)

  for _, name in ipairs { 'tiocsti', 'tiocsti-high' } do
    it('nothing can be typed into the terminal: ' .. name, function()
      for _, target in ipairs { '0', '1', '2', '/dev/tty' } do
        local line = ('%s try %s %s'):format(rig.probe, name, target)
        local function under(words)
          return rig.finding(rig.run { 'script', '-qec', words, '/dev/null' })
        end
        local inside = under(('%s run -q -- %s'):format(rig.program, line))
        assert.is_true(inside.result ~= 'reached', target .. ': ' .. inside.detail)
        local outside = rig.finding(rig.run({ 'script', '-qec', line, '/dev/null' },
          { as = place.of 'root' }))
        assert.are.same({ target, 'reached' }, { target, verdict(outside) })
      end
    end)
  end
end)

describe('terminal requests, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)

  for _, name in ipairs { 'tiocsti', 'tiocsti-high', 'tioclinux', 'tioclinux-high' } do
    it('are refused before any driver sees them: ' .. name, function()
      assert.are.equal('unavailable ENOTTY', verdict(rig.outside { name, '0' }))
      assert.are.equal('refused EPERM', verdict(rig.inside { name, '0' }))
    end)
  end
end)

describe('the kernel, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)

  for _, name in ipairs { 'userns-unshare', 'userns-clone', 'userns-clone3', 'vsock', 'int80' } do
    it('is not to be had: ' .. name, function()
      local outside = rig.outside { name }
      if outside.result ~= 'reached' then
        pending(name .. ' is not possible on this kernel: ' .. outside.errno)
        return
      end
      assert.are.equal('refused', rig.inside({ name }).result)
    end)
  end

  it('clone3 answers ENOSYS, so that libraries fall back', function()
    assert.are.equal('refused ENOSYS', verdict(rig.inside { 'userns-clone3' }))
  end)

  it('keys of the session and the user keyring are out of reach', function()
    if not place.exists '/usr/bin/keyctl' then
      pending 'keyctl is not installed (package keyutils)'
      return
    end
    local wrap = { 'keyctl', 'session', '-', 'sh', '-c',
      'keyctl add user rig-session secret @s >/dev/null; ' ..
      'keyctl add user rig-user secret @u >/dev/null; keyctl link @u @s; exec "$@"', 'sh' }
    for _, attempt in ipairs { { 'key-session', 'rig-session' }, { 'key-user', 'rig-user' } } do
      assert.are.same({ attempt[1], 'reached' },
        { attempt[1], verdict(rig.outside(attempt, { wrap_as = wrap })) })
      assert.are.same({ attempt[1], 'refused' },
        { attempt[1], rig.inside(attempt, { wrap_as = wrap }).result })
    end
  end)

  it('nothing can be mounted, unmounted or remounted', function()
    local point = place.folder('/srv/point', me)
    local root = place.of 'root'
    process.run { argv = { 'mount', '-t', 'tmpfs', '-o', 'ro', 'rig', point } }
    for _, attempt in ipairs { { 'mount', point }, { 'remount', point }, { 'umount', point } } do
      assert.are.same({ attempt[1], 'refused' }, { attempt[1], rig.inside(attempt).result })
      assert.are.same({ attempt[1], 'reached' },
        { attempt[1], verdict(rig.outside(attempt, { as = root })) })
    end
    for _, path in ipairs { '/', '/proc', '/proc/sys', '/dev', me.runtime, '/tmp' } do
      assert.are.same({ path, 'refused' }, { path, rig.inside({ 'remount', path }).result })
      assert.are.same({ path, 'refused' }, { path, rig.inside({ 'umount', path }).result })
    end
  end)
end)
