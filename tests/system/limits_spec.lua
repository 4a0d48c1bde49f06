--- Limits and the three descriptors, through the whole program: what holds, and what bounds say.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local resource = require 'posix.sys.resource'

local me = rig.me

--- Opens, allocates and forks until something stops it, and says how far it came.
local USE_UP = [[
import os, signal, sys
files = 0
try:
    while files < 500: os.open('/dev/null', os.O_RDONLY); files += 1
except OSError: pass
os.closerange(3, 600)
try: memory = len(bytearray(300 << 20)) >> 20
except MemoryError: memory = 0
tasks, children = 1, []
try:
    while tasks < 40:
        child = os.fork()
        if child == 0: signal.pause()
        children.append(child); tasks += 1
except OSError: pass
for child in children: os.kill(child, signal.SIGKILL)
print(files < 100, memory, tasks)
]]

local function use_up(limits)
  local bounds = me.home .. '/bounds.json'
  rig.remove(bounds)
  local policy = rig.policy('limited', "include 'default'\n" .. limits)
  local outcome = rig.confined { argv = { '/usr/bin/python3', '-c', USE_UP },
    flags = { '-p', policy, '--bounds', bounds } }
  local said, listed = {}, process.slurp(bounds):match '"limits": {(.-)}' or ''
  for name, value in listed:gmatch '"(%w+)": "(.-)"' do said[name] = value end
  return outcome, said
end

describe('limits, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)

  it('hold nothing back when there are none', function()
    local outcome = use_up ''
    assert.are.same({ 0, 'False 300 40\n', '' }, { outcome.code, outcome.out, outcome.err })
  end)

  it('hold, and bounds say by what', function()
    local outcome, said = use_up "limit { files = 64, memory = '256M', pids = 12 }"
    local by_group = said.pids == 'cgroup'
    local alone = me.uid == 0 and 'none, the kernel exempts uid 0' or 'rlimit'
    local pids = by_group and 'cgroup' or alone
    assert.are.same({ files = 'rlimit a process', pids = pids,
      memory = by_group and 'cgroup' or 'rlimit a process' }, said)
    if by_group then
      assert.are.same({ 125, 'confine-lua: ended by the limit on memory\n' },
        { outcome.code, outcome.err })
    else
      local tasks = me.uid == 0 and 40 or 12
      assert.are.same({ 0, ('True 0 %d\n'):format(tasks) }, { outcome.code, outcome.out })
    end
  end)

  it('are an object in the bounds, which also holds the time limit of the command line', function()
    local bounds = me.home .. '/bounds.json'
    local cases = { ['{}'] = {}, ['{\n    "wall": "launcher"\n  }'] = { '--timeout', '9' } }
    for wanted, flags in pairs(cases) do
      rig.remove(bounds)
      rig.confined { argv = { 'true' }, flags = { '--bounds', bounds, table.unpack(flags) } }
      assert.are.equal(wanted, process.slurp(bounds):match '"limits": ([^,]-),\n')
    end
  end)

  it('of the shell that leave no room for a run are named, with a remedy', function()
    local remedies = { ['-n 16'] = { 'open files', 'ulimit -n 1024' },
      ['-i 0'] = { 'pending signals', 'ulimit -i 128' },
      ['-d 1000'] = { 'the data of a process', 'ulimit -d 1000000' },
      ['-v 20000'] = { 'the address space of a process', 'ulimit -v 1000000' } }
    for flags, wanted in pairs(remedies) do
      local shell = { 'bash', '-c', ('ulimit %s; "$@"'):format(flags), 'bash' }
      local outcome = rig.confined { argv = { 'true' }, wrap_as = shell }
      local what, remedy =
        outcome.err:match '^confine%-lua: the limit on (.-) is too low: .-\n    remedy: (.-)\n$'
      assert.are.same({ flags, 125, wanted }, { flags, outcome.code, { what, remedy } })
      shell[3] = ('ulimit -S %s; %s; "$@"'):format(flags, (wanted[2]:gsub('ulimit', '%0 -S')))
      outcome = rig.confined { argv = { 'true' }, wrap_as = shell }
      assert.are.same({ flags, 0, '' }, { flags, outcome.code, outcome.err })
    end
  end)

  it('leave no core dump to a handler, whatever the command sets', function()
    if resource.getrlimit(resource.RLIMIT_CORE).rlim_max == 0 then
      pending 'a hard core limit above 0'
      return
    end
    local outcome = rig.confined { argv = { '/usr/bin/python3', '-c', 'import resource\n'
      .. 'resource.setrlimit(resource.RLIMIT_CORE, (0, 0))\n'
      .. 'print(resource.getrlimit(resource.RLIMIT_CORE))' } }
    assert.are.same({ 0, '(1, 1)\n' }, { outcome.code, outcome.out })
  end)
end)

describe('descriptors, as ' .. me.as .. ':', function()
  local file = me.home .. '/input'

  before_each(function()
    rig.fresh_work()
    place.file(file, 'first\nsecond\n', me)
  end)

  it('a file on stdin can be read and not be written anew', function()
    local write = 'echo changed 2>/dev/null >/proc/self/fd/0'
    local outside = rig.run({ 'sh', '-c', write }, { stdin = file })
    assert.are.same({ 0, 'changed\n' }, { outside.code, process.slurp(file) })
    place.file(file, 'first\nsecond\n', me)
    local inside = rig.confined { argv = { 'sh', '-c', 'cat; ' .. write }, stdin = file }
    assert.are.same({ 'first\nsecond\n', true }, { inside.out, inside.code ~= 0 })
    assert.are.equal('first\nsecond\n', process.slurp(file))
  end)

  --- What a line of shell prints in which `it` runs a command, outside or confined.
  local function said(line, is_inside)
    local prefix = is_inside and rig.program .. ' run --quiet -- ' or ''
    return rig.run({ 'sh', '-c', ('it() { %s"$@"; }\n%s'):format(prefix, line) }).out
  end

  it('a pipe on stdin cannot be written: no shell outside takes a line from inside', function()
    -- The shell that reads the rest of the script is the one that a command writes to.
    local line = [[printf '%s\n' 'echo first' 'echo second' | {
      read a; it sh -c 'echo echo evil 2>/dev/null >/proc/self/fd/0'; sh; }]]
    assert.are.equal('second\nevil\n', said(line))
    assert.are.equal('second\n', said(line, true))
  end)

  it('what is not read of a pipe on stdin is left to who reads on', function()
    local reads = [[printf 'one\ntwo\nthree\n' | {
      read a; it sh -c 'read b; echo got $b'; cat; it cat; }]]
    assert.are.equal('got two\nthree\n', said(reads))
    assert.are.equal('got two\nthree\n', said(reads, true))
    local loop = [[printf 'one\ntwo\n' | while read a; do it true; echo $a; done]]
    assert.are.equal('one\ntwo\n', said(loop))
    assert.are.equal('one\ntwo\n', said(loop, true))
  end)

  it('runs that share a pipe on stdin lose nothing of it and get nothing twice', function()
    local worker = [[it sh -c 'while read x; do echo $x; done' <&3 >out%d &]]
    local line = ('seq 500 | { exec 3<&0; %s %s wait; }; cat out1 out2 | sort -n | md5sum; '
      .. 'seq 500 | md5sum'):format(worker:format(1), worker:format(2))
    local one, other = said(line, true):match '^(%S+) .-\n(%S+)'
    assert.are.equal(other, one)
  end)

  it('a pipe on stdin that is open for writing only is no way to read it', function()
    local line = '{ echo theirs; it sh -c "timeout 1 cat /proc/self/fd/0 >stolen; cat >>stolen"; } '
      .. '0>&1 2>/dev/null | { sleep 2; cat; }; cat stolen'
    assert.are.equal('theirs\n', said(line))
    rig.remove(rig.work .. '/stolen')
    assert.are.equal('theirs\n', said(line, true))
    assert.are.equal('', process.slurp(rig.work .. '/stolen'))
  end)

  it('a pipe on stdout that is open for reading only is no way to write to it', function()
    local line = [[printf '%s\n' "it sh -c 'echo echo evil >&2' 2>&0" 'echo second' | {
      eval "$(declare -f it 2>/dev/null)"; read a; eval "$a"; sh; }]]
    assert.are.equal('second\n', said(line))
    assert.are.equal('second\n', said(line, true))
  end)

  it('lines of several runs that share a pipe on stdout stay whole', function()
    local line = [[for i in 1 2 3; do
      it sh -c 'for k in $(seq 3000); do echo $0-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-end; done' $i &
      done | grep -vcE '^[123]-a{30}-end$'; true]]
    assert.are.equal('0\n', said(line))
    assert.are.equal('0\n', said(line, true))
  end)

  it('what others wrote to a pipe on stdout cannot be read back', function()
    local line = [[{ echo theirs; it sh -c 'timeout 1 cat /proc/self/fd/1 >stolen'; } | {
      sleep 2; cat; }; cat stolen]]
    assert.are.equal('theirs\n', said(line))
    rig.remove(rig.work .. '/stolen')
    assert.are.equal('theirs\n', said(line, true))
    assert.are.equal('', process.slurp(rig.work .. '/stolen'))
  end)

  it('a signal ends a run though nobody takes its output', function()
    local line = '{ it yes & sleep 1; kill $!; wait $!; date +%s >end; } | { sleep 6; date +%s; }'
    for _, is_inside in ipairs { false, true } do
      local late = tonumber(said(line:gsub('it yes', is_inside and 'exec it yes' or 'yes'),
        is_inside))
      local ended = tonumber(process.slurp(rig.work .. '/end'))
      assert.is_true(late - ended >= 3, ('%s %d'):format(is_inside, late - ended))
    end
  end)

  it('the reports are written though nobody reads what is said at the end', function()
    local bounds = me.home .. '/bounds.json'
    local line = ([[{ %s run --bounds %s -- sh -c 'sleep 1; exit 3'; echo $? >code; } 2>&1 |
      { head -c 1 >/dev/null; sleep 0.4; }; cat code]]):format(rig.program, bounds)
    rig.remove(bounds)
    assert.are.equal('3\n', said(line))
    assert.is_truthy(process.slurp(bounds):find('"executor"', 1, true))
    rig.remove(bounds)
  end)

  it('who reads on afterwards does so where the command stopped', function()
    local line = '{ %s run --quiet -- sh -c "read a; echo got \\$a"; cat; }'
    local outcome = rig.run({ 'sh', '-c', line:format(rig.program) }, { stdin = file })
    assert.are.same({ 0, 'got first\nsecond\n' }, { outcome.code, outcome.out })
  end)

  it('a folder on stdin is refused', function()
    local outside = rig.run({ 'sh', '-c', 'ls /proc/self/fd/0/.. >/dev/null' }, { stdin = me.home })
    assert.are.equal(0, outside.code)
    local inside = rig.confined { argv = { 'true' }, stdin = me.home }
    assert.are.same({ 125, ('confine-lua: stdin: stdin is the folder %s, through which the command '
      .. 'could walk the host; redirect it from /dev/null or a file\n'):format(me.home) },
      { inside.code, inside.err })
  end)

  it('a log that is appended to can be neither read nor truncated through stdout', function()
    local steal = 'timeout 1 cat /proc/self/fd/1 >stolen; : >/proc/self/fd/1; echo said'
    local outside = rig.run({ 'sh', '-c', ('{ %s; } >>%s'):format(steal, file) })
    assert.are.same({ 0, 'said\n' }, { outside.code, process.slurp(file) })
    place.file(file, 'first\nsecond\n', me)
    rig.run { 'sh', '-c', ("%s run --quiet -- sh -c '%s' >>%s"):format(rig.program, steal, file) }
    assert.are.equal('first\nsecond\nsaid\n', process.slurp(file))
    assert.are.equal('', process.slurp(rig.work .. '/stolen'))
  end)

  it('a new file can be neither read, overwritten nor given a mode through stdout', function()
    local steal = 'echo first; sleep 1; timeout 1 cat /proc/self/fd/1 >stolen; '
      .. ': >/proc/self/fd/1; echo last; chmod 4777 /proc/self/fd/1'
    local other = ('rm -f %s; umask 077; { %%s & sleep 0.5; echo other >>%s; wait; } >>%s')
      :format(file, file, file)
    local outside = rig.run { 'sh', '-c', other:format(('{ %s; }'):format(steal)) }
    assert.are.same({ 0, 'last\n' }, { outside.code, process.slurp(file) })
    assert.are.equal('4777\n', rig.run({ 'stat', '-c', '%a', file }).out)
    local confined = ("%s run --quiet -- sh -c '%s'"):format(rig.program, steal)
    rig.run { 'sh', '-c', other:format(confined) }
    assert.are.equal('first\nother\nlast\n', process.slurp(file))
    assert.are.equal('600\n', rig.run({ 'stat', '-c', '%a', file }).out)
    assert.are.equal('', process.slurp(rig.work .. '/stolen'))
  end)

  it('a new file takes both outputs in their order', function()
    local outcome = rig.run { 'sh', '-c',
      ('%s run --quiet -- sh -c "echo 1; echo 2 >&2; echo 3; echo 4 >&2" >%s 2>&1; cat %s')
        :format(rig.program, file, file) }
    assert.are.equal('1\n2\n3\n4\n', outcome.out)
  end)
end)
