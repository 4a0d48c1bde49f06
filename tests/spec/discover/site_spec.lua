--- The site command writes its layer once, notices drift, and leaves people's own files alone.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')
package.path = tree.ROOT .. 'build/luaposix/share/?.lua;' .. package.path
package.cpath = tree.ROOT .. 'build/luaposix/lib/?.so;' .. package.cpath
local assemble = require 'scripts.assemble'
local layer = require 'scripts.layer'
local site = require 'scripts.site'
local stat = require 'posix.sys.stat'
local unistd = require 'posix.unistd'

local function slurp(path)
  local handle = io.open(path, 'rb')
  if not handle then return nil end
  local text = handle:read('a')
  handle:close()
  return text
end

local function spill(path, text)
  local handle = assert(io.open(path, 'wb'))
  handle:write(text)
  handle:close()
end

describe('the site command', function()
  local top, dir, where

  before_each(function()
    top = assert(require('posix.stdlib').mkdtemp('/tmp/confine-site-XXXXXX'))
    dir = top .. '/site.d'
    where = dir .. '/50-discovered.lua'
  end)

  after_each(function()
    os.execute("rm -rf '" .. top .. "'")
  end)

  --- Runs a word against a host with these variables; what it prints and complains of, as lists.
  local function run(env, ...)
    local host = tree.host { env = env }
    local read = host.read
    function host.read(path, max)
      if path:sub(1, #top) ~= top then return read(path, max) end
      return slurp(path)
    end
    local printed, complaints = {}, {}
    local status = site.run({ ... }, host, function(of)
      return assemble.run(of, { { discover = require('scripts.discover.session').discover } })
    end, { print = function(line) printed[#printed + 1] = line end,
      complain = function(line) complaints[#complaints + 1] = line end })
    return status, printed, complaints
  end

  local function names()
    local list = require('scripts.host').list(dir)
    return list
  end

  it('writes the same bytes twice, and nothing else beside them', function()
    local env = { SSH_AUTH_SOCK = '/srv/a.sock' }
    local status, printed = run(env, 'init', '--dir', dir)
    assert.are.equal(0, status)
    assert.are.same({
      "+ authority.add('ssh_agent', { sockets = { '/srv/a.sock' } })",
      '      variable SSH_AUTH_SOCK',
      where .. ': written, 1 statement',
    }, printed)
    local text = slurp(where)
    assert.are.equal(layer.HEADER .. "\n-- variable SSH_AUTH_SOCK\n"
      .. "authority.add('ssh_agent', { sockets = { '/srv/a.sock' } })\n", text)
    status, printed = run(env, 'init', '--dir=' .. dir)
    assert.are.same({ 0, { where .. ': nothing differs' } }, { status, printed })
    assert.are.equal(text, slurp(where))
    assert.are.same({ '50-discovered.lua' }, names())
    assert.are.equal(tonumber('644', 8), stat.stat(where).st_mode & 4095)
  end)

  it('checks: 0 without drift, 1 with a readable difference, 1 before init', function()
    local status, printed = run({}, 'check', '--dir', dir)
    assert.are.same({ 1, { where .. ' is not there: confine-lua site init --dir '
      .. where:match '^(.*)/' .. ' writes it' } },
      { status, printed })
    run({ SSH_AUTH_SOCK = '/srv/a.sock' }, 'init', '--dir', dir)
    status, printed = run({ SSH_AUTH_SOCK = '/srv/a.sock' }, 'check', '--dir', dir)
    assert.are.same({ 0, { where .. ': nothing differs' } }, { status, printed })
    local text = slurp(where)
    status, printed = run({ SSH_AUTH_SOCK = '/srv/b\27.sock', DOCKER_HOST = '/srv/b.sock' },
      'check', '--dir', dir)
    assert.are.same({ 1, {
      where .. ' differs from what is found now, and a refresh would change:',
      "+ authority.add('docker', { sockets = { '/srv/b.sock' } })",
      '      variable DOCKER_HOST',
      "- authority.add('ssh_agent', { sockets = { '/srv/a.sock' } })",
      '      no longer found',
    } }, { status, printed })
    assert.are.equal(text, slurp(where))
  end)

  it('shows a difference without changing anything', function()
    local status, printed = run({ SSH_AUTH_SOCK = '/srv/a.sock' }, 'diff', '--dir', dir)
    assert.are.equal(0, status)
    assert.are.equal("+ authority.add('ssh_agent', { sockets = { '/srv/a.sock' } })", printed[1])
    assert.is_nil(stat.stat(dir))
  end)

  it('refreshes what init wrote and nothing else', function()
    local status, _, complaints = run({}, 'refresh', '--dir', dir)
    assert.are.same({ 2, { where .. ' is not there: confine-lua site init --dir '
      .. where:match '^(.*)/' .. ' writes it' } },
      { status, complaints })
    run({}, 'init', '--dir', dir)
    spill(dir .. '/60-own.lua', "authority.refuse 'docker'\n")
    local own = stat.stat(dir .. '/60-own.lua')
    status = run({ DOCKER_HOST = '/srv/d.sock' }, 'refresh', '--dir', dir)
    assert.are.equal(0, status)
    assert.is_truthy(slurp(where):find("'/srv/d.sock'", 1, true))
    assert.are.equal("authority.refuse 'docker'\n", slurp(dir .. '/60-own.lua'))
    assert.are.equal(own.st_ino, stat.stat(dir .. '/60-own.lua').st_ino)
    assert.are.same({ '50-discovered.lua', '60-own.lua' }, names())
  end)

  it('leaves a file of that name that a person wrote', function()
    stat.mkdir(dir)
    spill(where, "authority.refuse 'docker'\n")
    local status, _, complaints = run({ DOCKER_HOST = '/srv/d.sock' }, 'init', '--dir', dir)
    assert.are.same({ 2, { where
      .. ': written by hand, so it is left alone; move it to another name' } },
      { status, complaints })
    assert.are.equal("authority.refuse 'docker'\n", slurp(where))
  end)

  it('writes through no link, neither of the file nor of the folder', function()
    stat.mkdir(dir, tonumber('755', 8))
    spill(top .. '/target', layer.HEADER)
    unistd.link(top .. '/target', where, true)
    local status, _, complaints = run({ DOCKER_HOST = '/srv/d.sock' }, 'init', '--dir', dir)
    assert.are.same({ 2, { where .. ': not a regular file' } }, { status, complaints })
    assert.are.equal(layer.HEADER, slurp(top .. '/target'))
    unistd.link(dir, top .. '/linked', true)
    unistd.unlink(where)
    status, _, complaints = run({}, 'init', '--dir', top .. '/linked')
    assert.are.same({ 2, { top .. '/linked: a symbolic link' } }, { status, complaints })
    assert.are.same({}, names())
  end)

  it('writes into no folder that others can write', function()
    stat.mkdir(dir)
    stat.chmod(dir, tonumber('777', 8))
    local status, _, complaints = run({}, 'init', '--dir', dir)
    assert.are.same({ 2, { dir .. ': others can write it' } }, { status, complaints })
    assert.are.same({}, names())
  end)

  it('lists with --verbose what it does not write', function()
    local _, printed = run({ SSH_AUTH_SOCK = '/tmp/ssh-XXXXab/agent.1',
      DBUS_SESSION_BUS_ADDRESS = 'unix:path=/tmp/dbus-xyz' }, 'init', '--dir', dir, '--verbose')
    assert.are.same({
      'named by a record already:',
      "  authority.add('ssh_agent', { sockets = { '/tmp/ssh-XXXXab/agent.1' } })",
      '      variable SSH_AUTH_SOCK',
      'gone at the next login, so not written:',
      "  authority.add('session_bus', { sockets = { '/tmp/dbus-xyz' } })",
      '      variable DBUS_SESSION_BUS_ADDRESS',
      where .. ': written, 0 statements',
    }, printed)
  end)

  it('keeps the caller\'s own layer with --user', function()
    run({ XDG_CONFIG_HOME = top }, 'init', '--user')
    assert.is_truthy(slurp(top .. '/confine-lua/user.d/50-discovered.lua'))
  end)

  for wanted, args in pairs {
    ['needs a word: init, check, diff or refresh'] = {},
    ['unknown word inti'] = { 'inti' },
    ['unknown option --dri'] = { 'init', '--dri', 'x' },
    ['--dir needs a folder'] = { 'init', '--dir' },
    ['one word at a time: check'] = { 'init', 'check' },
    ['--dir and --user exclude each other'] = { 'init', '--dir', 'x', '--user' },
  } do
    it('says ' .. wanted, function()
      local status, printed, complaints = run({}, table.unpack(args))
      assert.are.same({ 2, {}, { wanted, 'site --help lists the words' } },
        { status, printed, complaints })
    end)
  end
end)
