--- What stands in the tree for protected names that are absent: no run starts where it cannot be
--- recorded, runs in one tree share it, and it is gone when they end.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local RECORDS = me.home .. '/.local/state/confine-lua/placeholders'
local BOUNDS = me.home .. '/bounds.json'
local REPOSITORY = [[set -e; git init -q -b main; git config user.name ada
  git config user.email ada@example.org; git commit -q --allow-empty -m first]]

local function sh(text, options) return rig.run({ 'sh', '-c', text }, options) end

local function start(text, flags, env)
  return process.start(rig.confined_command { argv = { 'sh', '-c', text }, flags = flags,
    env = env })
end

local function wait_for(name)
  assert.is_true(process.poll(20, function() return place.exists(rig.work .. '/' .. name) end),
    name)
end

local function go(name) place.file(rig.work .. '/' .. name, '', me) end

local function names() return rig.run({ 'ls', '-A' }).out:gsub('\n', ' ') end

local function has_git() return place.exists '/usr/bin/git' end

describe('where placeholders cannot be recorded, as ' .. me.as .. ',', function()
  --- Words that have the folder of the records changed by a line of shell, for one command only.
  local function changed(line)
    return { 'unshare', '--mount', 'sh', '-c', 'records=$1; shift; ' .. line .. '; exec "$@"', 'sh',
      RECORDS }
  end
  local READ_ONLY = changed 'mount --bind $records $records; mount -o remount,bind,ro $records'
  local FULL = changed('mount -t tmpfs -o nr_inodes=20,mode=700,uid=' .. math.tointeger(me.uid)
    .. ' full $records; touch $records/lock; chown --reference=$records $records/lock; i=0; '
    .. 'while touch $records/$i 2>/dev/null; do i=$((i + 1)); done')
  local REMEDY = 'XDG_STATE_HOME=DIR names a folder of yours that can be written'

  --- What the host's git executes after it.
  local ATTEMPT = [[cp -r .git evil; printf '#!/bin/sh\n: >%s/mark\n' "$HOME" >evil/run
    chmod +x evil/run; git config -f evil/config core.fsmonitor "$PWD/evil/run"
    echo ../evil >.git/commondir; true]]
  local mark = me.home .. '/mark'

  local function tree()
    rig.fresh_work()
    rig.remove(mark)
    assert.are.equal(0, sh(REPOSITORY).code)
  end

  local function is_executed()
    sh 'git status'
    return place.exists(mark)
  end

  setup(function() place.folder(RECORDS, me, 448) end)
  after_each(function() rig.remove(mark) end)

  for name, case in pairs {
    ['the folder is read-only'] = { READ_ONLY,
      ('write %s/lock: Read-only file system'):format(RECORDS) },
    ['the disk is full'] = { FULL, ('protect %s/.claude: the records in %s cannot be kept: '
      .. 'No space left on device'):format(rig.work, RECORDS) },
  } do
    it('no run starts, and git outside executes nothing: ' .. name, function()
      if not has_git() then return pending 'git is not installed' end
      tree()
      assert.are.equal(0, sh(ATTEMPT).code)
      assert.is_true(is_executed())
      tree()
      local run = rig.confined { argv = { 'sh', '-c', ATTEMPT }, wrap = case[1] }
      assert.are.equal(125, run.code)
      assert.is_truthy(run.err:find(case[2], 1, true), run.err)
      assert.is_truthy(run.err:find(REMEDY, 1, true), run.err)
      assert.is_false(is_executed())
      assert.are.equal('.git ', names())
    end)

    it('nothing is left where no repository is: ' .. name, function()
      rig.fresh_work()
      assert.are.equal(125, rig.confined({ argv = { 'true' }, wrap = case[1] }).code)
      assert.are.equal('', names())
    end)
  end

  it('the doctor says so', function()
    rig.fresh_work()
    local argv = place.argv_as(me, { rig.program, 'doctor' })
    local env = place.environment(me, { COLUMNS = '2000' })
    local said = process.run { argv = table.move(argv, 1, #argv, #READ_ONLY + 1,
      { table.unpack(READ_ONLY) }), env = env, cwd = rig.work }
    assert.are.equal(3, said.code, said.err)
    assert.is_truthy(said.out:find('MISSING placeholders', 1, true), said.out)
    assert.is_truthy(said.out:find('XDG_STATE_HOME', 1, true), said.out)
  end)
end)

describe('several runs in one tree, as ' .. me.as .. ':', function()
  local STATUS = 'git status --porcelain 2>&1 || echo failed; '

  it('git inside works while others come and go', function()
    if not has_git() then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(REPOSITORY).code)
    local run = sh(([[seq 18 | xargs -P 3 -I{} %s run --quiet -- sh -c '%s%s']])
      :format(rig.program, STATUS, STATUS), { timeout = 120 })
    assert.are.same({ 0, '', '' }, { run.code, run.out, run.err })
    assert.are.equal('.git ', names())
  end)

  it('git outside works, and sees nothing of them', function()
    if not has_git() then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(REPOSITORY).code)
    -- One lasts, as git outside may meet a name just when the last run takes it away.
    sh "echo '/go*' >.git/info/exclude"
    local lasting = start 'touch go1; while [ ! -e go2 ]; do sleep 0.05; done'
    wait_for 'go1'
    local others = process.start { argv = place.argv_as(me, { 'sh', '-c',
      ('seq 12 | xargs -P 2 -I{} %s run --quiet -- true'):format(rig.program) }),
      env = place.environment(me), cwd = rig.work }
    local said = {}
    repeat
      local run = sh(STATUS)
      if run.out ~= '' or run.err ~= '' then said[#said + 1] = run.out .. run.err end
    until not process.is_running(others)
    assert.are.same({}, said)
    assert.are.equal(0, process.finish(others).code)
    go 'go2'
    assert.are.equal(0, process.finish(lasting).code)
    assert.are.equal('.git go1 go2 ', names())
  end)

  local HOMES = { ['of one home'] = {}, ['of two homes'] = { HOME = me.home .. '/other' } }
  for how, env in pairs(HOMES) do
    it('what the first has put stays whole for the second, ' .. how, function()
      if not has_git() then return pending 'git is not installed' end
      rig.fresh_work()
      place.folder(me.home .. '/other', me)
      assert.are.equal(0, sh(REPOSITORY .. "; echo '/go*' >.git/info/exclude").code)
      local first = start('touch go1; while [ ! -e go2 ]; do sleep 0.05; done', nil, env)
      wait_for 'go1'
      local second = start(('touch go3; while [ ! -e go4 ]; do sleep 0.05; done; %s'
        .. 'cat .git/commondir; echo x >.git/commondir'):format(STATUS))
      wait_for 'go3'
      go 'go2'
      assert.are.equal(0, process.finish(first).code)
      assert.are.equal('', sh(STATUS).out)
      assert.are.equal('.gitignore\n', sh('ls -A .vscode').out)
      go 'go4'
      local run = process.finish(second)
      assert.are.equal('.\n', run.out)
      assert.is_truthy(run.err:find('Read-only file system', 1, true), run.err)
      assert.are.equal('.git go1 go2 go3 go4 ', names())
    end)
  end

  it('where no repository is, each sees an empty one that it cannot write', function()
    rig.fresh_work()
    assert.are.equal('ok\n', sh('mkdir -p .git/objects && echo ok').out)
    rig.fresh_work()
    local first = start 'touch go1; while [ ! -e go2 ]; do sleep 0.05; done'
    wait_for 'go1'
    local second = start('ls -A .git; touch go3; while [ ! -e go4 ]; do sleep 0.05; done; '
      .. 'ls -A .git; echo x >.git/config')
    wait_for 'go3'
    go 'go2'
    assert.are.equal(0, process.finish(first).code)
    assert.are.equal('', sh('ls -A .git').out)
    go 'go4'
    local run = process.finish(second)
    assert.are.equal(('HEAD\nobjects\nrefs\n'):rep(2), run.out)
    assert.is_truthy(run.err:find('Read-only file system', 1, true), run.err)
    assert.are.equal('go1 go2 go3 go4 ', names())
  end)
end)

describe('what stands for absent names, as ' .. me.as .. ',', function()
  --- Watches each file of the tree, as programs do that wait for changes; prints what cannot be.
  local WATCH = [[python3 -c 'import ctypes, os
c = ctypes.CDLL(None, use_errno=True)
fd = c.inotify_init()
for folder, _, names in os.walk("."):
    for name in names:
        path = os.path.join(folder, name)
        if c.inotify_add_watch(fd, path.encode(), 2) < 0:
            print(path, os.strerror(ctypes.get_errno()))']]

  before_each(rig.fresh_work)

  it('can be watched, inside and outside', function()
    place.file(rig.work .. '/secret', 'x', { uid = 0, gid = 0 }, 0)
    if me.as ~= 'root' then assert.are.equal('./secret Permission denied\n', sh(WATCH).out) end
    rig.remove(rig.work .. '/secret')
    local run = start(WATCH .. '; touch go1; while [ ! -e go2 ]; do sleep 0.05; done')
    wait_for 'go1'
    assert.is_true(place.exists(rig.work .. '/refs'))
    assert.are.equal('', sh(WATCH).out)
    go 'go2'
    local outcome = process.finish(run)
    assert.are.same({ 0, '', '' }, { outcome.code, outcome.out, outcome.err })
  end)

  it('is an empty repository inside, whose HEAD is a file', function()
    local run = rig.confined { argv = { 'sh', '-c', 'cat .git/HEAD; git branch --show-current' } }
    assert.are.equal('ref: refs/heads/main\n', run.out:match '^[^\n]*\n')
    if has_git() then assert.are.equal('ref: refs/heads/main\nmain\n', run.out) end
  end)
end)

describe('what is remembered between runs, as ' .. me.as .. ',', function()
  it('cannot be written or moved in a granted /tmp or /run, where no runtime folder is', function()
    rig.fresh_work()
    local granted = me.as == 'root' and '/run' or '/tmp'
    local folder = me.as == 'root' and '/run/confine-lua' or ('/tmp/confine-lua-%d'):format(me.uid)
    local wrap = { 'unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none /run/user; exec "$@"',
      'sh' }
    local line = ('mkdir -p %s; touch %s/x && mv %s %s.x && echo done'):format(folder, folder,
      folder, folder)
    assert.are.equal(0, rig.confined({ argv = { 'true' }, wrap = wrap }).code)
    local run = rig.confined { argv = { 'sh', '-c', line }, wrap = wrap,
      flags = { '--write', granted } }
    assert.are.equal('', run.out)
    run = rig.confined { argv = { 'mv', folder, folder .. '.x' }, wrap = wrap,
      flags = { '--write', granted } }
    assert.are.equal(1, run.code)
    assert.are.equal('done\n', process.run({ argv = { 'sh', '-c', line } }).out)
    rig.remove(folder .. '.x')
  end)
end)

describe('the end of a run, as ' .. me.as .. ':', function()
  it('leaves nothing though the host renamed a folder above the tree and back', function()
    rig.remove(me.home .. '/above')
    local work = place.folder(me.home .. '/above/work', me)
    place.folder(me.home .. '/above', me)
    rig.remove(BOUNDS)
    local run = rig.confined_command { argv = { 'sh', '-c',
      'touch go1; until [ -e go2 ]; do sleep 0.05; done' }, flags = { '--bounds', BOUNDS } }
    run.cwd = work
    run = process.start(run)
    assert.is_true(process.poll(20, function() return place.exists(work .. '/go1') end))
    assert.are.equal(0, sh('cd; mv above beside; sleep 0.3; mv beside above; sleep 0.3').code)
    place.file(work .. '/go2', '', me)
    -- What is protected in a tree that was moved can be held no longer.
    assert.are.equal(125, process.finish(run).code)
    assert.are.equal('go1\ngo2\n', sh('ls -A ~/above/work').out)
    local bounds = process.slurp(BOUNDS)
    assert.is_nil(bounds:find('"placeholders"', 1, true), bounds)
    assert.are.equal('lock\n', sh('ls -A ' .. RECORDS).out)
    rig.remove(me.home .. '/above')
  end)
end)

describe('the caller\'s own limits, as ' .. me.as .. ':', function()
  before_each(rig.fresh_work)

  it('with few descriptors no run starts, and nothing is left in the tree', function()
    for _, count in ipairs { 48, 64, 96 } do
      local run = rig.confined { argv = { 'true' },
        wrap_as = { 'prlimit', ('--nofile=%d'):format(count) } }
      assert.are.equal(125, run.code)
      assert.are.equal('', sh('ls -A').out)
      assert.are.equal('lock\n', sh('ls -A ' .. RECORDS).out)
    end
  end)

  it('under any umask its own folders can be used by later runs', function()
    for _, mask in ipairs { '0777', '0700', '0177' } do
      rig.remove(me.home .. '/.local')
      for _, words in ipairs { { 'sh', '-c', 'umask ' .. mask .. '; exec "$@"', 'sh' }, {} } do
        local run = rig.confined { argv = { 'true' }, wrap_as = words }
        assert.are.same({ mask, 0, '' }, { mask, run.code, run.err })
      end
    end
  end)
end)

describe('a run whose keeper gets no inotify instance, as ' .. me.as .. ',', function()
  it('names that in its bounds', function()
    rig.fresh_work()
    for _, is_without in ipairs { false, true } do
      rig.remove(BOUNDS)
      local run = rig.confined { argv = { 'true' }, flags = { '--bounds', BOUNDS },
        wrap_as = is_without and { rig.without, 'inotify_init1', '--' } or nil }
      assert.are.same({ 0, '' }, { run.code, run.err })
      local bounds = process.slurp(BOUNDS)
      assert.are.equal(is_without, bounds:find('"name": "unwatched"', 1, true) ~= nil, bounds)
    end
    rig.remove(BOUNDS)
  end)
end)
