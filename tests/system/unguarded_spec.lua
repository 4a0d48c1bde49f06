--- What each guard is worth: in a build where it can be left out, what it stops is possible without
--- it and refused with it; an ordinary build leaves nothing out.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

local me = rig.me
local ORDINARY = rig.program
local SWITCHED = rig.tree .. '/build/switched/confine-lua'

local KEYS = { 'keyctl', 'session', '-', 'sh', '-c',
  'keyctl add user rig-session secret @s >/dev/null; exec "$@"', 'sh' }

--- Makes an attempt inside with some guards left out of a build.
local function inside(program, without, attempt, run)
  local full = { env = { CONFINE_TEST_WITHOUT = without } }
  for name, value in pairs(run or {}) do full[name] = value end
  rig.program = program
  local finding = rig.inside(attempt, full)
  rig.program = ORDINARY
  return finding.result
end

--- Reached without the guards, refused with any of them, whatever an ordinary build is told.
local function worth(guards, attempt, run)
  local all = table.concat(guards, ',')
  assert.are.same({ all, 'reached' }, { all, inside(SWITCHED, all, attempt, run) })
  assert.are.same({ 'none', 'refused' }, { 'none', inside(SWITCHED, '', attempt, run) })
  assert.are.same({ 'ordinary', 'refused' }, { 'ordinary', inside(ORDINARY, all, attempt, run) })
  if #guards == 1 then return end
  for left_out in pairs(guards) do
    local others = table.move(guards, 1, #guards, 1, {})
    local kept = table.remove(others, left_out)
    assert.are.same({ kept, 'refused' },
      { kept, inside(SWITCHED, table.concat(others, ','), attempt, run) })
  end
end

describe('the guards, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)
  teardown(rig.stop_all)

  for _, name in ipairs { 'userns-unshare', 'userns-clone', 'userns-clone3', 'vsock', 'int80' } do
    it('the program of system calls stops ' .. name, function()
      local outside = rig.outside { name }
      if outside.result ~= 'reached' then
        pending(name .. ' is not possible on this kernel: ' .. outside.errno)
        return
      end
      worth({ 'seccomp' }, { name })
    end)
  end

  it('the program of system calls stops io_uring, which could connect past it', function()
    local listener = rig.start('listener', { path = me.home .. '/other.sock' })
    local attempt = { 'connect-io-uring', listener.sockets[1] }
    if rig.outside(attempt).result ~= 'reached' then
      pending 'io_uring is not possible on this kernel'
      return
    end
    worth({ 'seccomp' }, attempt)
  end)

  it('Landlock stops abstract names where the network is shared', function()
    rig.start('session_bus', { abstract = 'rig-bus' })
    worth({ 'landlock' }, { 'connect', '@rig-bus' }, { flags = { '--net', 'host' } })
  end)

  it("a keyring of the command's own and the program each stop the caller's keys", function()
    if not place.exists '/usr/bin/keyctl' then
      pending 'keyctl is not installed (package keyutils)'
      return
    end
    worth({ 'session_keyring', 'seccomp' }, { 'key-session', 'rig-session' }, { wrap_as = KEYS })
  end)

  it('another descriptor for it stops reading what is typed to others at the terminal', function()
    --- What a job in the background reads of a terminal at which somebody types.
    local function read_by(job)
      place.file(rig.work .. '/job', ('set -m\n%s > got &\nsleep 2\nkill %%1\n'):format(job), me)
      rig.run { 'sh', '-c', ': > got; { sleep 1; echo secret; sleep 1.5; } | '
        .. 'script -qec "sh job" /dev/null' }
      return rig.run({ 'cat', 'got' }).out
    end
    local function read_inside(program, without)
      return read_by(('CONFINE_TEST_WITHOUT=%s %s run -q -- head -n 1'):format(without, program))
    end
    assert.are.equal('secret\n', read_by 'setsid head -n 1 <&0')
    assert.are.equal('secret\n', read_inside(SWITCHED, 'stdin'))
    assert.are.equal('', read_inside(SWITCHED, ''))
    assert.are.equal('', read_inside(ORDINARY, 'stdin'))
  end)

  it('another descriptor for it stops writing the file on stdin', function()
    local path = place.file(me.home .. '/input', 'text', me)
    worth({ 'stdin' }, { 'reopen', '0' }, { stdin = path })
  end)

  it("a pipe of the command's own stops lines for a shell that reads the one on stdin", function()
    local line = "printf '%%s\\n' taken 'echo second' | { read a; CONFINE_TEST_WITHOUT=%s %s "
      .. "run -q -- sh -c 'echo echo evil 2>/dev/null >/proc/self/fd/0'; sh; }"
    local function executed(program, without)
      return rig.run({ 'sh', '-c', line:format(without, program) }).out
    end
    assert.are.equal('second\nevil\n', executed(SWITCHED, 'stdin'))
    assert.are.equal('second\n', executed(SWITCHED, ''))
    assert.are.equal('second\n', executed(ORDINARY, 'stdin'))
  end)

  it('the program of system calls stops set-user-ID files where root would leave them', function()
    local run = { argv = { 'sh', '-c', 'cp /bin/true s; chmod 4755 s; stat -c %a s; rm -f s' } }
    local modes = {}
    for _, without in ipairs { '', 'seccomp' } do
      rig.program, run.env = SWITCHED, { CONFINE_TEST_WITHOUT = without }
      modes[#modes + 1] = rig.confined(run).out
      rig.program = ORDINARY
    end
    assert.are.same({ me.uid == 0 and '755\n' or '4755\n', '4755\n' }, modes)
  end)

  it('limits are only there with their guard', function()
    local policy = rig.policy('few', "include 'default'\nlimit { files = 64 }\n")
    local run = { argv = { 'sh', '-c', 'ulimit -Hn' }, flags = { '-p', policy } }
    local said = {}
    for _, without in ipairs { '', 'rlimits' } do
      rig.program, run.env = SWITCHED, { CONFINE_TEST_WITHOUT = without }
      said[#said + 1] = rig.confined(run).out == '64\n'
      rig.program = ORDINARY
    end
    assert.are.same({ true, false }, said)
  end)
end)
