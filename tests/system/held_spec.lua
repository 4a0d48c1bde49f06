--- What is protected is held by mounts on paths: folders on the way cannot be moved by the command,
--- and a run ends where the host moves them, or where the command uses up what holding takes.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local BASE = me.home .. '/base'
local MARK = me.home .. '/executed'

--- A repository of the account at a path.
local function repository(where)
  place.folder(where, me)
  local made = rig.run({ 'git', 'init', '-q', '.' }, { cwd = where })
  assert.are.same({ 0, '' }, { made.code, made.err })
  return where
end

--- Has the host's git execute what a config in a repository says; was it?
local function is_executed(where)
  os.remove(MARK)
  rig.run({ 'git', 'status' }, { cwd = where })
  return place.exists(MARK)
end

--- Makes another tree with a config that executes something, and puts it in the place of the first.
local EXCHANGE = [[
  cd "$1" && mkdir -p b/work && cp -r a/work/.git b/work/.git 2>/dev/null
  printf '[core]\nrepositoryformatversion = 0\nfsmonitor = "touch %s; false"\n' "$2" \
    > b/work/.git/config
  mv a old && mv b a]]

describe('the folders above what is protected, as ' .. me.as .. ':', function()
  before_each(function()
    rig.fresh_work()
    rig.remove(BASE)
    rig.remove(MARK)
  end)
  after_each(function() rig.remove(BASE) end)

  it('cannot be moved in a place that is granted around the tree', function()
    for _, profile in ipairs { 'default', 'agent' } do
      for _, is_inside in ipairs { false, true } do
        rig.remove(BASE)
        local work = repository(BASE .. '/a/work')
        local argv = { 'sh', '-c', EXCHANGE, 'sh', BASE, MARK }
        local run = is_inside and rig.confined { argv = argv, cwd = work,
          flags = { '-p', profile, '--write', BASE } } or rig.run(argv, { cwd = work })
        assert.are.equal(is_inside, run.code ~= 0, run.err)
        assert.are.equal(not is_inside, is_executed(work))
      end
    end
  end)

  it('cannot be moved around a private place', function()
    local LINE = 'mv sub s2; mkdir -p sub/cache && echo evil > sub/cache/f'
    local f = rig.work .. '/sub/cache/f'
    for _, is_inside in ipairs { false, true } do
      rig.fresh_work()
      place.folder(rig.work .. '/sub/cache', me)
      place.file(f, 'kept\n', me)
      local argv = { 'sh', '-c', LINE }
      if is_inside then
        rig.confined { argv = argv, flags = { '--private', 'sub/cache' } }
      else
        rig.run(argv)
      end
      assert.are.equal(is_inside and 'kept\n' or 'evil\n', process.slurp(f))
    end
  end)
end)

describe('a run whose tree the host moves, as ' .. me.as .. ':', function()
  before_each(function()
    rig.fresh_work()
    rig.remove(BASE)
    rig.remove(MARK)
  end)
  after_each(function() rig.remove(BASE) end)

  --- Replaces the config of the repository that it stands in, and goes on trying.
  local WRITES = [[
    : > started
    for n in $(seq 1000); do
      printf '[core]\nrepositoryformatversion = 0\nfsmonitor = "touch %s; false"\n' "$1" > .git/x
      if mv .git g 2>/dev/null; then mkdir .git; cp -r g/* .git; mv -f .git/x .git/config; fi
      mv -f .git/x .git/config 2>/dev/null && exit 3
      sleep 0.01
    done]]

  --- Moves a folder while the command runs, has git rewrite the config there, and waits.
  local function outcome(from, to, work, moved, flags)
    local started = process.start(rig.confined_command { flags = flags, cwd = work,
      argv = { 'sh', '-c', WRITES, 'sh', MARK } })
    assert(process.poll(15, function() return place.exists(work .. '/started') end))
    assert(os.rename(from, to))
    rig.run({ 'git', 'config', 'x.y', 'z' }, { cwd = moved })
    return process.finish(started, 30)
  end

  it('ends, and says so; the config there is still the host\'s', function()
    local cases = { { BASE .. '/a', BASE .. '/moved', BASE .. '/moved/work' },
      { BASE .. '/a/work', BASE .. '/a/moved', BASE .. '/a/moved' } }
    for _, flags in ipairs { {}, { '-p', 'strict' } } do
      for _, case in ipairs(cases) do
        rig.remove(BASE)
        local work = repository(BASE .. '/a/work')
        local run = outcome(case[1], case[2], work, case[3], flags)
        assert.are.equal(125, run.code, run.err)
        assert.is_true(run.err:find(work .. ' was moved or removed', 1, true) ~= nil, run.err)
        assert.is_false(is_executed(case[3]))
        assert.are.equal('z\n', rig.run({ 'git', 'config', 'x.y' }, { cwd = case[3] }).out)
        for _, name in ipairs { 'commondir', '.vscode' } do
          assert.is_false(place.exists(case[3] .. '/' .. name), name)
        end
      end
    end
  end)
end)

describe('folders that an earlier run has shut, as ' .. me.as .. ':', function()
  before_each(rig.fresh_work)

  it('do not open what is refused in them', function()
    local secret, work = rig.work .. '/sub/secret', repository(rig.work)
    place.folder(rig.work .. '/sub', me)
    place.file(secret, 'first\n', me)
    local flags = { '--hide', secret }
    local argv = { 'sh', '-c', [[chmod 755 sub .git; printf '%s\n' '[core]' >> .git/config;
      printf '\tfsmonitor = "touch %s; false"\n' "$1" >> .git/config; cat sub/secret]], 'sh', MARK }
    for _, is_inside in ipairs { false, true } do
      local shutting = { 'chmod', '000', 'sub', '.git' }
      local run = is_inside and rig.confined { argv = shutting, flags = flags }
        or rig.run(shutting)
      assert.are.same({ 0, '' }, { run.code, run.err })
      run = is_inside and rig.confined { argv = argv, flags = flags } or rig.run(argv)
      assert.are.equal(is_inside and '' or 'first\n', run.out)
      rig.run { 'chmod', '755', 'sub', '.git' }
      assert.are.equal(not is_inside, is_executed(work))
      rig.remove(rig.work .. '/.git')
      repository(rig.work)
    end
  end)
end)

describe('a granted folder that an earlier run has shut, as ' .. me.as .. ':', function()
  before_each(function()
    rig.fresh_work()
    rig.remove(BASE)
  end)
  after_each(function() rig.remove(BASE) end)

  it('stays shut, with the repository in it', function()
    local argv = { 'sh', '-c', [[chmod 755 "$1"; printf '[core]\n' >> "$1/.git/config"
      printf '\tfsmonitor = "touch %s; false"\n' "$2" >> "$1/.git/config"]], 'sh', BASE, MARK }
    for _, is_inside in ipairs { false, true } do
      rig.remove(BASE)
      repository(BASE)
      local flags, shutting = { '--write', BASE }, { 'chmod', '000', BASE }
      local function try(words)
        return is_inside and rig.confined { argv = words, flags = flags } or rig.run(words)
      end
      local run = try(shutting)
      assert.are.same({ 0, '' }, { run.code, run.err })
      assert.are.equal(is_inside, try(argv).code ~= 0)
      rig.run { 'chmod', '755', BASE }
      assert.are.equal(not is_inside, is_executed(BASE))
    end
  end)
end)

describe('a tree on an overlay, as ' .. me.as .. ':', function()
  it('is not taken for moved when it is copied up', function()
    local LINE = [[set -e; base=$1; user=$2; shift 2
      mkdir -p $base; mount -t tmpfs overlay $base; cd $base; mkdir l l/w u k m
      echo x > l/w/f; chown -R "$user" l u k
      mount -t overlay o -o lowerdir=l,upperdir=u,workdir=k m; cd m/w; exec "$@"]]
    local owner = ('%d:%d'):format(me.uid, me.gid)
    local command = rig.confined_command { argv = { 'sh', '-c', 'sleep 0.5; echo y > f; cat f' } }
    command.argv = { 'unshare', '--mount', 'sh', '-c', LINE, 'sh', '/srv/overlay', owner,
      table.unpack(command.argv) }
    command.cwd = '/'
    local run = process.run(command)
    assert.are.same({ 0, 'y\n', '' }, { run.code, run.out, run.err })
  end)
end)

describe('a run that uses up the mounts, as ' .. me.as .. ':', function()
  before_each(rig.fresh_work)

  it('ends before anything is open #long', function()
    local FLOOD = [[
import os
n = 0
while n < 300000:
    os.close(os.open('keys/%d.key' % n, os.O_CREAT | os.O_WRONLY)); n += 1
open('flooded', 'w').close()
import time
for i in range(3000):
    time.sleep(0.01)
    for name in 'secret', 'keys/a.key', 'keys/1.key':
        try:
            open(name).read()
            open('read', 'w').write(name)
        except OSError:
            pass
]]
    place.folder(rig.work .. '/keys', me)
    place.file(rig.work .. '/secret', 'first\n', me)
    place.file(rig.work .. '/keys/a.key', 'first\n', me)
    local started = process.start(rig.confined_command { argv = { 'python3', '-c', FLOOD },
      flags = { '--hide', rig.work .. '/keys/*.key', '--hide', rig.work .. '/secret' } })
    local run = process.finish(started, 300)
    assert.are.equal(125, run.code)
    assert.is_true(run.err:find('the run was ended: ', 1, true) ~= nil, run.err)
    assert.is_false(place.exists(rig.work .. '/read'))
  end)
end)

describe('what the host replaces while a command runs, as ' .. me.as .. ':', function()
  before_each(rig.fresh_work)

  --- A run that goes on until the host has changed something, and says what it said.
  local function told(flags, change)
    local started = process.start(rig.confined_command { flags = flags, says = true,
      argv = { 'sh', '-c', ': > started; while test ! -e done; do sleep 0.01; done' } })
    assert(process.poll(15, function() return place.exists(rig.work .. '/started') end))
    change()
    process.poll(0.5, function() end)
    place.file(rig.work .. '/done', '', me)
    local run = process.finish(started, 30)
    assert.are.equal(0, run.code, run.err)
    return run.err
  end

  it('is told, where it was open for a moment', function()
    repository(rig.work)
    place.file(rig.work .. '/ledger', 'x\n', me)
    local flags = { '--hide', rig.work .. '/ledger' }
    assert.is_nil(told(flags, function() end):find('during the run', 1, true))
    rig.remove(rig.work .. '/started')
    rig.remove(rig.work .. '/done')
    local said = told(flags, function()
      rig.run { 'git', 'config', 'x.y', 'z' }
      rig.run { 'sh', '-c', 'echo y > l; mv l ledger' }
    end)
    for _, line in ipairs { '/.git/config: the host replaced it during the run',
      ': the host made or replaced a hidden name in it during the run' } do
      assert.is_true(said:find(rig.work .. line, 1, true) ~= nil, said)
    end
  end)
end)
