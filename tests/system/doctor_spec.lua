--- The doctor on hosts that lack something: what it says is a snapshot, and what it says of `run`
--- is what `run` does.
package.path = './?.lua;' .. package.path
local golden = require 'tests.rig.golden'
local json = require 'confine.values.json'
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local UID = ('%d'):format(math.tointeger(me.uid))

--- Records that depend on the machine and on nothing that these scenes change.
local OF_THE_MACHINE = { cgroup = true, landlock = true, ptrace = true, vsock = true,
  tiocsti = true, ['io uring'] = true, apparmor = true, container = true }

--- Each scene: how the program is run, what its status is, and what is shown of the machine's.
local SCENES = {
  { name = 'normal', status = 0 },
  { name = 'masked-proc', status = 1, wrap = { rig.masked_proc } },
  { name = 'without-user-namespaces', status = 3, wrap_as = { rig.without, 'userns', '--' } },
  { name = 'without-bwrap', status = 3, env = { PATH = '/srv' } },
  { name = 'without-proc', status = 3, wrap_as = { '/usr/bin/bwrap', '--dev-bind', '/', '/',
    '--unshare-user', '--unshare-pid', '--tmpfs', '/proc' } },
  { name = 'outer-bwrap-without-procfs', status = 3, wrap_as = { '/usr/bin/bwrap', '--dev-bind',
    '/', '/', '--unshare-user', '--unshare-pid' } },
  { name = 'without-mounts', status = 3, wrap_as = { rig.without, 'mount=1', '--' } },
  { name = 'old-kernel', status = 1, wrap_as = { rig.without, 'fsopen', 'open_tree',
    'move_mount', 'mount_setattr', '--' } },
  { name = 'without-landlock', status = 0, shows = { landlock = true },
    wrap_as = { rig.without, 'landlock_create_ruleset', '--' } },
}

--- A command line in a scene, as the account.
local function in_scene(scene, argv)
  local full = {}
  for _, list in ipairs { scene.wrap_as or {}, argv } do
    table.move(list, 1, #list, #full + 1, full)
  end
  full = place.argv_as(me, full)
  if scene.wrap then
    full = table.move(full, 1, #full, #scene.wrap + 1, { table.unpack(scene.wrap) })
  end
  local env = { COLUMNS = '2000' }
  for name, value in pairs(scene.env or {}) do env[name] = value end
  return process.run { argv = full, env = place.environment(me, env), cwd = rig.work, timeout = 60 }
end

--- What is printed, without what differs from machine to machine.
local function plain(text, scene)
  local lines, is_shown = {}, true
  for line in text:gmatch '[^\n]*' do
    local name = line:match '^  %a[%a ]%a+ +(%l[%l_ ]-)  +' or line:match '^  ok +(%l[%l_ ]-)  +'
    if not line:find '^   ' then
      is_shown = not (OF_THE_MACHINE[name] and not (scene.shows or {})[name])
    end
    if is_shown then lines[#lines + 1] = line end
  end
  text = table.concat(lines, '\n')
  text = text:gsub('^[^\n]*, Linux [^\n]*, uid %d+', 'SYSTEM, Linux RELEASE MACHINE, uid UID')
  for _, item in ipairs { { me.home, 'HOME' }, { me.runtime, 'RUNTIME' } } do
    text = text:gsub(item[1]:gsub('%p', '%%%0'), item[2])
  end
  -- bwrap says it in other words from release to release.
  text = text:gsub('(bwrap: No permissions)[^\n]*', '%1 ...')
  text = text:gsub("(bwrap: Can't mount proc on )[%w/]*/proc:", '%1PROC:')
  text = text:gsub('uid ' .. UID .. '%f[%D]', 'uid UID')
  text = text:gsub('/usr/bin/bwrap %d[%d.]*', '/usr/bin/bwrap VERSION')
  return (text:gsub('the %d+ options', 'the N options'))
end

describe('the doctor, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)

  for _, scene in ipairs(SCENES) do
    it('tells what is missing and the remedy: ' .. scene.name, function()
      local run = in_scene(scene, { rig.program, 'doctor' })
      assert.are.same({ scene.status, '' }, { run.code, run.err })
      local expected, got = golden.both('doctor-' .. scene.name, plain(run.out, scene))
      assert.are.equal(expected, got)
    end)

    it('says of a run what a run does: ' .. scene.name, function()
      local bounds = rig.work .. '/bounds.json'
      rig.remove(bounds)
      local run = in_scene(scene, { rig.program, 'run', '--quiet', '--bounds', bounds, '--',
        'true' })
      assert.are.equal(scene.status == 3 and 125 or 0, run.code, run.err)
      local report = json.decode(in_scene(scene, { rig.program, 'doctor', '--json' }).out)
      assert.are.equal(scene.status, report.exit)
      if scene.status == 3 then
        assert.is_true(run.err:find 'remedy: ' ~= nil, run.err)
      else
        local weaker = json.decode(process.slurp(bounds)).weaker
        assert.are.equal(scene.status == 1, #weaker > 0)
      end
    end)
  end

  it('leaves nothing behind', function()
    local function there()
      return process.run({ argv = { 'find', me.home, me.runtime, '/run', '/tmp', '-printf',
        '%p %y\n' } }).out
    end
    in_scene({}, { rig.program, 'doctor' })
    local before = there()
    in_scene({}, { rig.program, 'doctor' })
    assert.are.equal(before, there())
  end)

  it('works where the current folder may not be a writable root, or was deleted', function()
    for _, cwd in ipairs { '/', me.home } do
      local run = rig.run({ rig.program, 'doctor' }, { cwd = cwd })
      assert.are.same({ 0, '' }, { run.code, run.err })
    end
    local gone = place.folder(me.home .. '/gone', me)
    local run = rig.run({ 'sh', '-c', 'rmdir ../gone && exec "$@"', 'sh', rig.program, 'doctor' },
      { cwd = gone })
    assert.are.same({ 0, '' }, { run.code, run.err })
  end)

  it('takes a big folder of tools in the home for no weakness of the machine', function()
    for i = 1, 200 do place.folder(('%s/.rustup/toolchains/%d'):format(me.home, i), me) end
    local at = me.home .. '/bounds.json'
    local told = rig.confined { argv = { 'true' }, flags = { '--bounds', at } }
    local run = rig.run { rig.program, 'doctor' }
    local bounds = process.slurp(at)
    rig.remove(me.home .. '/.rustup')
    rig.remove(at)
    assert.are.same({ 0, 0 }, { told.code, run.code })
    assert.is_truthy(bounds:find('/.rustup', 1, true), bounds)
    assert.is_nil(run.out:find('further_names', 1, true))
  end)

  it('names the policy line that no run starts with', function()
    rig.site('site.lua', "file.hyde '/srv/x'\n")
    local run = rig.run { rig.program, 'doctor' }
    rig.remove '/etc/confine-lua'
    assert.are.equal(3, run.code)
    assert.is_true(run.out:find('/etc/confine-lua/site.lua:1', 1, true) ~= nil, run.out)
  end)

  it('takes no words and no unknown options', function()
    for _, words in ipairs { { 'bwrap' }, { '--jsn' } } do
      local run = rig.run { rig.program, 'doctor', table.unpack(words) }
      assert.are.same({ 2, '' }, { run.code, run.out })
    end
  end)
end)
