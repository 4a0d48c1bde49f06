--- Commands: how their words, status, signals and streams pass, and that ordinary tools work.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local signal = require 'posix.signal'

local me = rig.me

describe('commands, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)

  it('a work tree that cannot be written is told of, and the command runs', function()
    local tree = place.folder('/srv/confine-trees/' .. me.as, { uid = 65534, gid = 65534 }, 493)
    local outside = rig.run({ 'touch', tree .. '/x' })
    assert.are.equal(me.uid == 0 and 0 or 1, outside.code)
    rig.remove(tree .. '/x')
    local run = rig.confined { argv = { 'sh', '-c', 'touch x; ls -A; echo ran' }, cwd = tree,
      says = true }
    assert.are.same({ 0, 'ran\n' }, { run.code, run.out })
    assert.is_true(run.err:find('it belongs to user id 65534', 1, true) ~= nil, run.err)
    assert.is_true(run.err:find('Permission denied', 1, true) ~= nil, run.err)
    rig.remove('/srv/confine-trees')
  end)

  it('/dev has the harmless devices and no other, which nobody can change', function()
    local run = rig.confined { argv = { 'sh', '-c', 'echo $(ls /dev); echo x > /dev/null; '
      .. 'head -c 2 /dev/zero | od -An -tx1; script -qec "test -t 0 && echo a terminal" /dev/null; '
      .. 'echo > /dev/shm/own && echo shared; chmod 600 /dev/null; touch -d @1 /dev/zero' } }
    assert.are.equal('core fd full null ptmx pts random shm stderr stdin stdout tty urandom zero\n'
      .. ' 00 00\na terminal\nshared\n', run.out:gsub('\r', ''), run.err)
    assert.is_true(run.code ~= 0)
    assert.are.equal('666 0\n', rig.run({ 'stat', '-c', '%a %u', '/dev/null' }).out)
    for name, wanted in pairs { kmsg = 'hidden', null = 'writable', zero = 'writable',
      ['shm/x'] = 'private' } do
      local explained = rig.run { rig.program, 'explain', '/dev/' .. name }
      assert.are.equal('/dev/' .. name .. ': ' .. wanted, explained.out:match '^[^\n]+')
    end
  end)

  it('a terminal outside can be written, and not be read through any stream', function()
    local try = 'test -t 0 && echo reads it; test -t 1 && test -t 2 && echo writes it; '
      .. 'for fd in 1 2; do eval "exec 3<&$fd"; for how in "<" ">"; do '
      .. 'eval "true $how/proc/self/fd/3" 2>/dev/null && echo "opened $how$fd"; done; '
      .. 'timeout 0.2 dd count=1 <&3 2>&1 | grep -o "Bad file descriptor"; done'
    place.file(rig.work .. '/try', try, me)
    local outside = rig.run { 'script', '-qec', 'sh try', '/dev/null' }
    assert.are.equal('reads it\nwrites it\nopened <1\nopened >1\nopened <2\nopened >2\n',
      (outside.out:gsub('\r', '')))
    local inside = rig.run { 'script', '-qec', rig.program .. ' run -q -- sh try', '/dev/null' }
    assert.are.equal('writes it\nBad file descriptor\nBad file descriptor\n',
      (inside.out:gsub('\r', '')))
  end)

  it('`agent` starts no pager, which could read no key on a terminal', function()
    local lines = {}
    for i = 1, 200 do lines[i] = 'line ' .. i end
    local text = table.concat(lines, '\n') .. '\n'
    place.file(rig.work .. '/before', '', me)
    place.file(rig.work .. '/after', text, me)
    local run = rig.run { 'script', '-qec', rig.program .. ' run -q -p agent -- git '
      .. '-c color.ui=never -c core.pager=less diff --no-index before after', '/dev/null' }
    assert.are.equal(text, run.out:gsub('\r', ''):match '@@[^\n]*\n(.*)$':gsub('%f[^\n\0]%+', ''))
    rig.remove(rig.work .. '/before')
    rig.remove(rig.work .. '/after')
  end)

  it('a variable that leads to a harmless device takes it from nobody', function()
    local run = rig.confined { argv = { 'sh', '-c', 'echo x > /dev/null && echo written' },
      env = { HISTFILE = '/dev/null', PATH = '/usr/bin:/bin', HOME = me.home } }
    assert.are.same({ 0, 'written\n' }, { run.code, run.out }, run.err)
  end)

  it('an answer that cannot be written is an error, and a command keeps its own status', function()
    local lost = 'confine-lua: the output could not be written\n'
    for _, words in ipairs { 'explain /etc', 'explain --json', 'sockets', 'check', 'words',
      'plan --json true', 'diff default default', 'doctor --help', '--version',
      'run --dry-run true' } do
      local ran = rig.run { 'sh', '-c', 'exec "$0" ' .. words .. ' > /dev/full', rig.program }
      assert.are.same({ words, 1, lost }, { words, ran.code, ran.err })
    end
    -- With a limit the launcher writes the output.
    local ran = rig.run { 'sh', '-c', 'exec "$0" run -q -p "$1" -- sh -c "echo x; exit 3" '
      .. '> /dev/full', rig.program, rig.policy('limited', "limit { output = '1M' }\n") }
    assert.are.same({ 3, 'confine-lua: output could not be written: No space left on device\n' },
      { ran.code, ran.err })
  end)

  it('words pass unaltered', function()
    local words = { '', ' ', '--', '-x', '$HOME', "a'b\"c", 'new\nline', '*', '\\', '\xff' }
    local run = rig.confined { argv = { 'printf', '[%s]', table.unpack(words) } }
    assert.are.same({ 0, '[' .. table.concat(words, '][') .. ']', '' },
      { run.code, run.out, run.err })
  end)

  it('a command may begin with a dash', function()
    place.file(rig.work .. '/-odd', '#!/bin/sh\necho "odd $1"\n', me, 493)
    local env = { PATH = rig.work .. ':/usr/bin:/bin' }
    local run = rig.confined { argv = { './-odd', '-x' } }
    assert.are.same({ 0, 'odd -x\n' }, { run.code, run.out })
    run = rig.confined { argv = { '-odd', '-x' }, env = env }
    assert.are.same({ 0, 'odd -x\n' }, { run.code, run.out })
  end)

  it('a command may follow without the dashes, and -- after it is its own', function()
    local run = rig.run { rig.program, 'run', '-q', 'printf', '%s,', '--', '-p', 'x' }
    assert.are.same({ 0, '--,-p,x,', '' }, { run.code, run.out, run.err })
  end)

  it('the status is the command\'s own', function()
    for _, code in ipairs { 0, 1, 2, 7, 124, 125, 255 } do
      local run = rig.confined { argv = { 'sh', '-c', 'exit ' .. code } }
      assert.are.same({ code, '' }, { run.code, run.err })
    end
  end)

  it('what SIGSYS ended is told, since a 32-bit program says nothing itself', function()
    local run = rig.confined { argv = { 'sh', '-c', 'kill -SYS $$' }, says = true }
    assert.are.equal(159, run.code)
    assert.is_truthy(run.err:find('it ended by SIGSYS', 1, true), run.err)
  end)

  it('a limit on the size of files is an error that is told, or cuts what the launcher writes',
    function()
      local none = rig.run({ 'sh', '-c', 'ulimit -f 1; exec "$0" run -- true', rig.program },
        { cwd = rig.work })
      assert.are.equal(125, none.code)
      assert.is_truthy(none.err:find('File too large', 1, true), none.err)
      local some = rig.run({ 'sh', '-c', 'ulimit -f 100; "$0" run -q -- sh -c '
        .. '"head -c 90000 /dev/zero; head -c 90000 /dev/zero; true" > out; echo $?; wc -c < out',
        rig.program }, { cwd = rig.work })
      assert.are.equal('125\n51200\n', some.out, some.err)
    end)

  it('output that could not be written is told, and by the status of what went well', function()
    local line = '"$0" run -q "$@" -- /bin/echo lost > /dev/full'
    local run = rig.run({ 'sh', '-c', line, rig.program, '-p',
      rig.policy('limited', "limit { output = '1M' }\n") }, { cwd = rig.work })
    assert.are.same({ 125, 'confine-lua: output could not be written: No space left on device\n' },
      { run.code, run.err })
    -- What the command has itself it is told of itself.
    run = rig.run({ 'sh', '-c', line, rig.program }, { cwd = rig.work })
    assert.are.same({ 1, '/bin/echo: write error: No space left on device\n' },
      { run.code, run.err })
    local left = rig.run({ 'sh', '-c', '"$0" run -q -- seq 100000 | head -n 1', rig.program },
      { cwd = rig.work })
    assert.are.same({ 0, '1\n', '' }, { left.code, left.out, left.err })
  end)

  it('more words than bwrap takes are an error that says so', function()
    local many = rig.run({ 'sh', '-c', '"$0" run -q -- true $(seq 9000)', rig.program },
      { cwd = rig.work })
    assert.are.equal(125, many.code)
    assert.is_truthy(many.err:find('this command needs', 1, true), many.err)
    local enough = rig.run({ 'sh', '-c', '"$0" run -q -- sh -c "echo \\$#" x $(seq 8500)',
      rig.program }, { cwd = rig.work })
    assert.are.equal('8500\n', enough.out)
  end)

  it('a flag that grants nothing here is told of at the start', function()
    local run = rig.confined { argv = { 'true' }, says = true, flags = { '--socket', '/no/such',
      '--env', 'NOT_SET', '--grant', 'docker', '--grant', 'kubernetes' } }
    assert.are.equal(0, run.code)
    for _, line in ipairs { '--socket /no/such: no socket is there', '--env NOT_SET: it is not set',
      '--grant docker: none of its sockets is there' } do
      assert.is_truthy(run.err:find('confine-lua: ' .. line .. '\n', 1, true), run.err)
    end
    -- What that one hands out are credential files.
    assert.is_nil(run.err:find('--grant kubernetes', 1, true), run.err)
  end)

  it('--dry-run breaks its line before the options of bwrap alone', function()
    local out = rig.run({ rig.program, 'run', '--dry-run', '--', 'grep', 'a --b', '--c', 'f' },
      { cwd = rig.work }).out
    assert.are.equal("  -- grep 'a --b' --c f", out:match '([^\n]*)\n$')
    assert.is_truthy(out:find(' \\\n  --chdir ' .. rig.work .. ' \\\n', 1, true), out)
  end)

  it('what needs luaposix says so where it is not beside the program', function()
    local alone = place.folder '/srv/alone' .. '/confine-lua'
    place.file(alone, process.slurp(rig.program), nil, 493)
    for _, words in ipairs { { 'verify' }, { 'explain', '--prove', '~' }, { 'site', 'check' } } do
      local run = rig.run({ alone, table.unpack(words) }, { cwd = rig.work })
      assert.are.equal(2, run.code, run.err)
      assert.is_truthy(run.err:find(words[1] .. '[%a -]* needs luaposix, which is not beside the '
        .. 'program\n    ./build.sh install puts it there'), run.err)
    end
    rig.remove '/srv/alone'
  end)

  it('a name of two lines makes no line that looks like ours', function()
    local folder = rig.work .. '/a\nconfine-lua: forged'
    place.folder(folder, me)
    place.file(folder .. '/.confine.lua', "file.hide '/usr/bin/seq'\n", me)
    place.file(folder .. '/x_spec.lua', 'it("fails", function() error "x" end)\n', me)
    place.file(folder .. '/broken.lua', 'x x', me)
    local p = rig.program
    for _, argv in ipairs { { p, 'run', '--', 'seq', '1' }, { p, 'run', '--private', '.', 'true' },
      { p, 'explain' }, { p, 'lua', folder .. '/x_spec.lua' },
      { p, 'lua', folder .. '/broken.lua' }, { p, 'test', folder .. '/x_spec.lua' },
      { p, 'test', '--verbose', folder .. '/x_spec.lua' },
      { p, 'test', '--list', folder .. '/x_spec.lua' }, { p, 'test', folder .. '/none' },
      { p, 'site', 'init', '--dir', folder .. '/site' },
      { p, 'site', 'check', '--dir', folder .. '/site' } } do
      local run = rig.run(argv, { cwd = folder })
      local said = run.out .. run.err
      assert.are.same({ argv, true, nil },
        { argv, said:find('forged', 1, true) ~= nil, said:find '%f[^\n\0]confine%-lua: forged' })
    end
  end)

  it('a program of ours is started with however many words', function()
    -- What a word is read from lies behind the stack that execp puts it on: in a thread made last.
    local script = place.file(rig.work .. '/words.lua', [[
      collectgarbage 'stop'
      local child, argv, held = require 'confine.doors.child', { 'printf', '%s\\n' }, {}
      for i = 1, 2000 do argv[i + 2] = tostring(i) end
      for i = 1, 5000 do held[i] = { i } end
      for size = 600, 4000, 8 do
        for i = 1, 10 do held[#held + 1] = ('x'):rep(size) .. size .. ' ' .. i end
      end
      coroutine.wrap(function()
        local outcome = child.run(argv)
        print(outcome.code, (select(2, outcome.out:gsub('\n', ''))))
      end)()
    ]], me)
    local run = rig.run { rig.program, 'lua', script }
    assert.are.same({ 0, '0\t2000\n' }, { run.code, run.out })
    rig.remove(script)
  end)

  it('a command that is not there gives 127, one that cannot be executed 126', function()
    place.file(rig.work .. '/plain', 'x', me)
    for code, words in pairs { [127] = { 'no-such-command' }, [126] = { './plain' } } do
      local run = rig.confined { argv = words }
      assert.are.same({ code, '' }, { run.code, run.out })
      assert.is_true(run.err:find(words[1], 1, true) ~= nil, run.err)
    end
    assert.are.equal(127, rig.confined({ argv = { './absent' } }).code)
    assert.are.equal(126, rig.confined({ argv = { rig.work } }).code)
    place.file(rig.work .. '/script', '#!/no/interpreter -x\n', me, 493)
    local script = rig.confined { argv = { './script' } }
    assert.are.same({ 127, 'confine-lua: ./script: its interpreter /no/interpreter: no such file\n'
      }, { script.code, script.err })
    -- Outside it is there; inside /tmp is empty.
    place.file('/tmp/helper', '#!/bin/sh\n', me, 493)
    rig.symlink('/tmp/helper', rig.work .. '/to-helper')
    for _, words in ipairs { { '/tmp/helper' }, { './to-helper' },
      { 'helper', path = '/tmp:/usr/bin' } } do
      local run = rig.confined { argv = words, env = { PATH = words.path } }
      assert.are.equal(127, run.code)
      assert.is_truthy(run.err:find('private and empty inside: policies/default.lua', 1, true),
        run.err)
    end
  end)

  it('a signal that ends the command gives 128 and its number', function()
    for name, number in pairs { TERM = 15, KILL = 9, ABRT = 6 } do
      local run = rig.confined { argv = { 'sh', '-c', 'kill -' .. name .. ' $$' } }
      assert.are.same({ name, 128 + number }, { name, run.code })
    end
  end)

  it('signals to the launcher reach the command', function()
    for _, name in ipairs { 'TERM', 'INT', 'HUP', 'USR1' } do
      local mark = rig.work .. '/ready-' .. name
      local run = process.start(rig.confined_command { argv = { 'sh', '-c',
        ('trap "echo got %s; exit 3" %s; touch %s; while :; do sleep 0.05; done'):format(name, name,
          mark) } })
      assert.is_true(process.poll(10, function() return place.exists(mark) end) == true)
      signal.kill(run.pid, signal['SIG' .. name])
      local result = process.finish(run, 10)
      assert.are.same({ name, 3, 'got ' .. name .. '\n' }, { name, result.code, result.out })
    end
  end)

  it('a deadline ends the command and all that it started', function()
    local begun = process.now()
    local run = rig.confined { flags = { '--timeout', '1' }, timeout = 20, argv = { 'sh', '-c',
      'trap "" TERM; setsid sleep 313 & sleep 313' } }
    assert.are.equal(124, run.code)
    assert.is_true(process.now() - begun < 10)
    local left = process.run { argv = { 'pgrep', '-f', 'sleep 313' } }
    assert.are.equal('', left.out)
  end)

  it('nothing outlives a launcher that is killed', function()
    local mark = rig.work .. '/running'
    local run = process.start(rig.confined_command { argv = { 'sh', '-c',
      'setsid sleep 317 & touch running; sleep 317' } })
    assert.is_true(process.poll(10, function() return place.exists(mark) end) == true)
    signal.kill(run.pid, signal.SIGKILL)
    local gone = process.poll(5, function()
      return process.run({ argv = { 'pgrep', '-f', 'sleep 317' } }).out == ''
    end)
    process.stop(run)
    assert.is_true(gone == true)
  end)

  it('standard input, output and errors are the launcher\'s', function()
    place.file(me.home .. '/input', 'one\ntwo\n', me)
    local run = rig.confined { stdin = me.home .. '/input',
      argv = { 'sh', '-c', 'cat; echo error >&2' } }
    assert.are.same({ 0, 'one\ntwo\n', 'error\n' }, { run.code, run.out, run.err })
  end)

  it('runs without HOME', function()
    local run = rig.confined { env = { HOME = false }, argv = { 'sh', '-c', 'echo ok > made' } }
    assert.are.same({ 0, '', '' }, { run.code, run.out, run.err })
    assert.are.equal('ok\n', process.slurp(rig.work .. '/made'))
  end)

  it('the program works from where it was moved to', function()
    local moved = me.home .. '/moved'
    assert.are.equal(0, rig.run({ 'cp', rig.program, moved }).code)
    local run = rig.run { moved, 'run', '-q', '--', 'echo', 'moved' }
    assert.are.same({ 0, 'moved\n', '' }, { run.code, run.out, run.err })
  end)

  it('has no capability', function()
    local run = rig.confined { argv = { 'grep', 'Cap', '/proc/self/status' } }
    for name, value in run.out:gmatch '(Cap%a+):%s*(%x+)' do
      if name ~= 'CapBnd' then assert.are.same({ name, 0 }, { name, tonumber(value, 16) }) end
    end
  end)

  it('looks up names and users', function()
    for _, words in ipairs { { 'getent', 'hosts', 'localhost' }, { 'getent', 'passwd', me.name },
      { 'id', '-un' }, { 'hostname' } } do
      local outside, inside = rig.run(words), rig.confined { argv = words }
      assert.are.same({ words[2] or words[1], outside.code, outside.out },
        { words[2] or words[1], inside.code, inside.out })
    end
  end)

  it('tmux works while the host\'s is refused', function()
    local lacks = rig.lacks 'tmux'
    if lacks then
      pending(lacks)
      return
    end
    local server = rig.start 'tmux'
    local line = 'tmux -L own new-session -d "sleep 5" && tmux -L own ls && tmux -L own kill-server'
    local argv = { 'sh', '-c', line }
    for _, run in ipairs { rig.run(argv), rig.confined { argv = argv } } do
      assert.are.same({ 0, '' }, { run.code, run.err })
    end
    assert.are.equal('reached', rig.outside(server.ready[1]).result)
    assert.are.equal('refused', rig.inside(server.ready[1]).result)
    rig.stop_all()
  end)

  local WHEEL = [[
python3 - <<'MAKE'
import zipfile
with zipfile.ZipFile('p-1-py3-none-any.whl', 'w') as wheel:
    wheel.writestr('p.py', '')
    wheel.writestr('p-1.dist-info/METADATA', 'Metadata-Version: 2.1\nName: p\nVersion: 1')
    wheel.writestr('p-1.dist-info/WHEEL',
        'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any')
    wheel.writestr('p-1.dist-info/RECORD', '')
MAKE
]]

  local TOOLS = {
    { 'git', 'git init -q r && cd r && git config user.email a@b && git config user.name n' ..
      ' && echo 1 > f && git add f && git commit -qm one && git checkout -q -b other' ..
      ' && echo 2 > f && git commit -qam two && git checkout -q - && git merge -q other' ..
      ' && git gc -q' },
    { 'cc', 'printf "int main(void){return 7;}" > m.c && cc -o m m.c && { ./m || test $? = 7; }' },
    { 'python3', 'python3 -m venv --without-pip v && v/bin/python -c "import json; print(1)"' },
    { 'pip3', WHEEL .. 'pip3 install -q --no-index -t t ./p-1-py3-none-any.whl; test -e t/p.py' },
    { 'node', 'node -e "require(\'fs\').writeFileSync(\'n\', \'1\')" && test -s n' },
    { 'npm', 'mkdir -p pkg && cd pkg && npm init -y >/dev/null && npm pack --silent &&' ..
      ' npm install --offline --silent --no-audit ./*.tgz' },
    { 'go', 'mkdir -p g && cd g && go mod init g && printf "package main\nfunc main(){}" > m.go' ..
      ' && go build ./...' },
    { 'cargo', 'cargo init -q --vcs none c && cd c && cargo build -q --offline' },
    { 'bash', 'test "$(bash -c "cat <(echo substituted)")" = substituted' },
    { 'make', 'printf "all:\n\ttouch made\n" > Makefile && make -s && test -e made' },
  }

  for _, row in ipairs(TOOLS) do
    it('an ordinary tool works: ' .. row[1], function()
      rig.fresh_work()
      if rig.run({ 'sh', '-c', 'command -v ' .. row[1] }).code ~= 0 then
        pending(row[1] .. ' is not installed')
        return
      end
      local outside = rig.run({ 'sh', '-ec', row[2] }, { timeout = 120 })
      assert.are.same({ 0 }, { outside.code }, outside.err)
      rig.fresh_work()
      local inside = rig.confined { argv = { 'sh', '-ec', row[2] }, timeout = 120 }
      assert.are.equal(0, inside.code, inside.err)
    end)
  end
end)
