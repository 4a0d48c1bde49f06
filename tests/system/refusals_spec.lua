--- What must not start: each gives exit status 125 (2 for a wrong command line), one clear message,
--- and no command.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local stat = require 'posix.sys.stat'

local me = rig.me
local MARK = rig.work .. '/started'

--- Runs a command that would leave a mark, which must not be there; it starts without the fault.
-- @param words texts that the message must hold
local function refuses(run, code, words)
  run.argv = run.argv or { '/usr/bin/touch', MARK }
  local got = rig.confined(run)
  assert.are.same({ code, '' }, { got.code, got.out })
  for _, word in ipairs(words) do
    assert.is_true(got.err:find(word, 1, true) ~= nil,
      ('no `%s` in the message:\n%s'):format(word, got.err))
  end
  assert.is_true(not place.exists(MARK), 'the command was started')
  return got
end

describe('what must not start, as ' .. me.as .. ':', function()
  before_each(function() rig.fresh_work() end)
  after_each(function() rig.remove '/etc/confine-lua' end)

  it('starts without any of the faults', function()
    local run = rig.confined { argv = { '/usr/bin/touch', MARK } }
    assert.are.same({ 0, '', '' }, { run.code, run.out, run.err })
    assert.is_true(place.exists(MARK))
  end)

  it('without bwrap in PATH', function()
    refuses({ env = { PATH = '/srv' } }, 125, { 'bwrap', 'bubblewrap' })
  end)

  it('where user namespaces are forbidden', function()
    local wall = { rig.without, 'userns', '--' }
    assert.are.equal('reached', rig.outside({ 'userns-unshare' }).result)
    assert.are.equal('refused', rig.outside({ 'userns-unshare' }, { wrap_as = wall }).result)
    refuses({ wrap_as = wall }, 125, { 'user namespace' })
  end)

  it('where mounts are forbidden', function()
    refuses({ wrap_as = { rig.without, 'mount=1', '--' } }, 125, { 'bwrap', 'remedy' })
  end)

  local POLICIES = {
    { 'a syntax error', 'file.hide ( \n', { 'fault.lua:' } },
    { 'an unknown word', "file.hyde '/srv/x'\n", { 'fault.lua:1', 'file.hyde', 'file.hide' } },
    { 'an unknown noun', "\nsokcet.refuse '/srv/x'\n", { 'fault.lua:2', 'sokcet', 'socket' } },
    { 'an error of its own', "error('no')\n", { 'fault.lua:1', 'no' } },
    { 'a wrong argument', 'file.hide(7)\n', { 'fault.lua:1' } },
    { 'a wrong value', "\n\nnet 'everything'\n", { 'fault.lua:3', 'everything' } },
    { 'a loop without end', 'while true do end\n', { 'fault.lua:1' } },
    { 'a search without end', "local s = ('a'):rep(30000)\n" ..
      "string.find(s, ('.-'):rep(30) .. 'b')\n", { 'fault.lua:' } },
    { 'an allocation without end', "local t = {}\nwhile true do t[#t + 1] = {} end\n",
      { 'fault.lua:2', 'memory' } },
    { 'a long string', "local s = 'x'\nwhile true do s = s .. s end\n", { 'fault.lua:2' } },
    { 'a string repeated without end', "local s = ('x'):rep(1 << 40)\n", { 'fault.lua:1' } },
    { 'io', "io.open('/etc/passwd')\n", { 'fault.lua:1', 'io' } },
    { 'os', "os.execute('touch /tmp/escaped')\n", { 'fault.lua:1', 'os' } },
    { 'require', "require 'confine.core'\n", { 'fault.lua:1', 'require' } },
    { 'load', "load('return 1')\n", { 'fault.lua:1', 'load' } },
    { 'bytecode', string.dump(function() end), { 'fault.lua' } },
  }

  for _, row in ipairs(POLICIES) do
    it('with a policy that holds ' .. row[1], function()
      local path = rig.policy('fault', row[2])
      local begun = process.now()
      refuses({ flags = { '-p', path } }, 125, row[3])
      assert.is_true(process.now() - begun < 10, 'it took too long')
    end)
  end

  it('names all problems of a policy, not only the first', function()
    local path = rig.policy('fault', "file.hyde '/a'\nfile.hide '/b'\nnett 'none'\nproc 'stale'\n")
    refuses({ flags = { '-p', path } }, 125, { 'fault.lua:1', 'fault.lua:3', 'fault.lua:4' })
  end)

  it('with a policy file that is not there', function()
    refuses({ flags = { '-p', me.home .. '/absent.lua' } }, 125, { 'absent.lua' })
  end)

  it('with a profile that nobody knows', function()
    refuses({ flags = { '-p', 'defualt' } }, 125, { 'defualt', 'default' })
  end)

  it('with a policy file that everybody can write', function()
    local path = rig.policy('open', "include 'default'\n")
    assert.are.equal(0, rig.confined({ argv = { 'true' }, flags = { '-p', path } }).code)
    stat.chmod(path, 438)
    refuses({ flags = { '-p', path } }, 125, { 'open.lua', 'writ' })
  end)

  it('with a policy file in a folder that everybody can write', function()
    local folder = place.folder(me.home .. '/open-folder', me)
    local path = place.file(folder .. '/policy.lua', "include 'default'\n", me)
    assert.are.equal(0, rig.confined({ argv = { 'true' }, flags = { '-p', path } }).code)
    stat.chmod(folder, 511)
    refuses({ flags = { '-p', path } }, 125, { 'open-folder', 'writ' })
  end)

  it('with a policy file of somebody else', function()
    local path = place.file(rig.policy('other', "include 'default'\n"), "include 'default'\n",
      { uid = 65534, gid = 65534 })
    refuses({ flags = { '-p', path } }, 125, { 'other.lua', 'own' })
  end)

  it('with a site layer that everybody can write', function()
    local path = rig.site('site.lua', "file.hide '/srv/x'\n")
    assert.are.equal(0, rig.confined({ argv = { 'true' } }).code)
    stat.chmod(path, 438)
    refuses({}, 125, { 'site.lua', 'writ' })
  end)

  it('with a policy file below the writable root that grants', function()
    local path = place.file(rig.work .. '/own.lua', "include 'default'\nnet 'host'\n", me)
    refuses({ flags = { '-p', path } }, 125, { 'own.lua' })
    place.file(rig.work .. '/own.lua', "file.write '/srv'\n", me)
    refuses({ flags = { '-p', path } }, 125, { 'own.lua:1', 'file.write' })
  end)

  it("with a work tree's own policy that grants, while its refusals are taken", function()
    place.file(rig.work .. '/.confine.lua', "authority.grant 'docker'\n", me)
    refuses({}, 125, { '.confine.lua:1', 'authority.grant' })
    place.file(me.home .. '/page', 'x', me)
    place.file(rig.work .. '/.confine.lua', "file.hide '~/page'\n", me)
    assert.are.equal('refused', rig.inside({ 'list', me.home .. '/page' }).result)
    assert.are.equal('reached', rig.inside({ 'read', me.home .. '/page' },
      { flags = { '--no-project' } }).result)
  end)

  for _, row in ipairs {
    { 'the root of the file system', '/' }, { 'the home', me.home },
    { 'a folder above the home', me.home:match '^(.+)/' or '/' },
  } do
    it('in ' .. row[1] .. ' as the writable root', function()
      refuses({ cwd = row[2], argv = { '/usr/bin/touch', MARK } }, 125,
        { '\n    remedy: change into a folder of your work\n' })
      refuses({ flags = { '--root', row[2] }, argv = { '/usr/bin/touch', MARK } }, 125,
        { 'your work, or name one with --root DIR that contains the current directory\n' })
    end)
  end

  it('in a hidden folder as the writable root', function()
    local folder = place.folder(me.home .. '/.ssh', me, 448)
    refuses({ cwd = folder }, 125, { '.ssh' })
  end)

  it('in a current directory that was deleted', function()
    local gone = place.folder(me.home .. '/gone', me)
    refuses({ cwd = gone, wrap_as = { 'sh', '-c', 'rmdir ../gone && exec "$@"', 'sh' } }, 125,
      { 'current directory' })
  end)

  it('with a root that is protected, unless a flag grants it', function()
    for _, name in ipairs { me.home .. '/.local/bin', me.home .. '/.config/fish',
      rig.work .. '/.vscode', rig.work .. '/.github/workflows', rig.work .. '/.claude/x' } do
      place.folder(name, me)
      refuses({ cwd = name }, 125, { 'is protected', '--write .' })
      local run = rig.confined { cwd = name, argv = { 'touch', 'made' },
        flags = { '--write', '.' } }
      assert.are.same({ name, 0, '' }, { name, run.code, run.err })
    end
    -- An empty one is no repository: another run may have put it there.
    place.folder(rig.work .. '/.claude/x/.git', me)
    refuses({ cwd = rig.work .. '/.claude/x' }, 125, { 'is protected' })
    place.folder(rig.work .. '/.claude/x/.git/objects', me)
    local run = rig.confined { cwd = rig.work .. '/.claude/x', argv = { 'touch', 'own' } }
    assert.are.same({ 0, '' }, { run.code, run.err })
    rig.remove(me.home .. '/.local')
    rig.remove(me.home .. '/.config')
  end)

  it('with a flag that is given nothing', function()
    for _, flag in ipairs { '--root', '--write', '--hide', '--socket' } do
      refuses({ flags = { flag, '' } }, 125, { flag .. ' names nothing' })
    end
  end)

  it('with a root that does not hold the current directory', function()
    refuses({ flags = { '--root', '/usr' } }, 125, { '/usr' })
  end)

  for _, flag in ipairs { '--audit', '--bounds' } do
    it('with a report that would be written through a link: ' .. flag, function()
      local target = place.file(me.home .. '/target', 'mine', me)
      rig.symlink(target, rig.work .. '/report.json')
      local HINT = '\n    name a regular file, by a path without links: a command could have put a '
        .. 'link there\n'
      for _, name in ipairs { rig.work .. '/report.json', '/dev/stdout', '/dev/null' } do
        refuses({ flags = { flag, name } }, 125, { name, HINT })
      end
      assert.are.equal('mine', process.slurp(target))
    end)
  end

  for _, row in ipairs {
    { 'an unknown option', { '--no-such-option' } }, { 'no value for an option', { '--timeout' } },
    { 'a wrong time', { '--timeout', 'soon', 'true' } },
  } do
    it('with a command line that has ' .. row[1], function()
      local run = rig.run { rig.program, 'run', table.unpack(row[2]) }
      assert.are.same({ 2, '' }, { run.code, run.out })
      assert.is_true(run.err:find(row[2][1], 1, true) ~= nil, run.err)
    end)
  end

  it('with an option that is a word of policies, and says how the word is written', function()
    for option, line in pairs { ['--tty'] = "tty 'inherit'", ['--userns=granted'] =
      "userns 'granted'", ['--limit'] = "limit { wall = '60s', memory = '2G', pids = 512, "
      .. "files = 1024, output = '16M' }" } do
      local run = rig.run { rig.program, 'run', option, '--', 'true' }
      assert.are.same({ 2, ("confine-lua: unknown option '%s'\n    a line of a policy file says "
        .. 'it, which -p FILE names: %s\n'):format(option:match '^[^=]+', line) },
        { run.code, run.err })
    end
  end)

  it('with no command', function()
    for _, words in ipairs { {}, { '--' }, { '-p', 'default' }, { '--', '' } } do
      local run = rig.run { rig.program, 'run', table.unpack(words) }
      assert.are.same({ 2, '' }, { run.code, run.out })
      assert.is_true(run.err:find('command', 1, true) ~= nil, run.err)
    end
  end)
end)
