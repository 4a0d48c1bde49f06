--- What is believed to be refused is: a project's policy opens nothing, no policy can be written
--- under any name, variables are read as programs read them, what means nothing is an error.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

local me = rig.me
local CONFIG = me.home .. '/.config/confine-lua'
local SITE = '/etc/confine-lua'

describe("what a project's policy adds, as " .. me.as .. ':', function()
  local odd = me.home .. '/odd'
  local other, agent

  before_each(function()
    rig.fresh_work()
    other = rig.start('listener', { path = place.folder(odd, me) .. '/other.sock' }).sockets[1]
    agent = rig.start('ssh_agent', { path = odd .. '/agent.sock' }).sockets[1]
  end)
  after_each(function()
    rig.stop_all()
    rig.remove(odd)
  end)

  --- What a run with a grant prints, with a policy of the project or without.
  local function run(policy, authority, env, argv, flags)
    if policy then place.file(rig.work .. '/.confine.lua', policy, me) end
    local all = { '--grant', authority, table.unpack(flags or {}) }
    local out = rig.confined { argv = argv, flags = all, env = env }
    assert.are.equal(0, out.code, out.err)
    return out.out
  end

  it('passes no variable on with a grant, whatever kind it says it has', function()
    local env = { SSH_AUTH_SOCK = agent, GITHUB_TOKEN = 'ghp_abc', GH_TOKEN = 'ghp_z',
      DATABASE_URL = 'https://u:pw@box/d' }
    local list = { 'sh', '-c', 'env | grep -E "TOKEN|URL"; echo $SSH_AUTH_SOCK' }
    assert.are.equal(agent .. '\n', run(nil, 'ssh_agent', env, list))
    assert.are.equal(agent .. '\n', run("authority.add('ssh_agent', { env = { GITHUB_TOKEN = "
      .. "'pulse', DATABASE_URL = 'url', GH_TOKEN = 'path' } })\n", 'ssh_agent', env, list))
    env.SSH_AUTH_SOCK = nil
    assert.are.equal('\n', run("authority.add('kubernetes', { env = { GH_TOKEN = 'name' }, "
      .. "secrets = { 'token' } })\n", 'kubernetes', env, list))
  end)

  it('leads no grant to a socket of its own, and opens none', function()
    local env = { SSH_AUTH_SOCK = agent, FOO = other }
    local line = 'echo $SSH_AUTH_SOCK; python3 -c "import socket,sys; '
      .. 'socket.socket(socket.AF_UNIX).connect(sys.argv[1]); print(1)" %s 2>/dev/null; true'
    local try = { 'sh', '-c', line:format(other) }
    assert.are.equal(agent .. '\n', run(nil, 'ssh_agent', env, try, { '-p', 'strict' }))
    assert.are.equal(agent .. '\n', run("authority.add('ssh_agent', { env = { FOO = 'path' } })\n",
      'ssh_agent', env, try, { '-p', 'strict' }))
    env.SSH_AUTH_SOCK = nil
    assert.is_nil(run(("authority.add('ssh_agent', { sockets = { '%s' } })\n"):format(other),
      'ssh_agent', env, { 'sh', '-c', 'echo $SSH_AUTH_SOCK' }):find(other, 1, true))
  end)

  -- What is refused has its name inside: in the tree, in a list of mounts.
  local SHOW = { 'sh', '-c', 'ls -a; cat /proc/self/mountinfo' }

  it('names nothing by a variable that could hold a secret', function()
    local env = { FOO = 'topsecret' }
    for _, line in ipairs { "file.hide '$FOO'", "file.protect '$FOO/x'",
      "socket.refuse '$FOO/a.sock'", "file.hide { '~', except = { '$FOO' } }",
      "authority.add('ssh_agent', { secrets = { '$FOO' } })" } do
      place.file(rig.work .. '/.confine.lua', line .. '\n', me)
      local out = rig.confined { argv = SHOW, env = env }
      assert.are.same({ line, 125, nil }, { line, out.code, out.err:find('topsecret', 1, true) })
      assert.is_truthy(out.err:find('$FOO is refused here', 1, true), out.err)
    end
    place.file(rig.work .. '/.confine.lua',
      "file.hide { '$HOME/x', '$XDG_CONFIG_HOME/y', why = 'costs $FOO' }\n", me)
    assert.are.equal(0, rig.confined({ argv = SHOW, env = env }).code)
  end)

  it('reads of a variable that it names only what is a socket', function()
    local env = { FOO = 'topsecret', BAR = other }
    for _, kind in ipairs { 'path', 'url', 'name', 'dbus-address', 'pulse', 'display' } do
      place.file(rig.work .. '/.confine.lua',
        ("authority.add('ssh_agent', { env = { FOO = '%s', BAR = 'path' } })\n"):format(kind), me)
      local out = rig.confined { argv = SHOW, env = env, says = true }
      assert.are.same({ kind, 0, nil },
        { kind, out.code, (out.out .. out.err):find('topsecret', 1, true) })
      local attempt = { 'http', other }
      assert.are.same({ 'reached', 'refused' },
        { rig.outside(attempt).result, rig.inside(attempt, { env = env }).result })
    end
  end)
end)

describe('a policy that lies in the tree by another name, as ' .. me.as .. ':', function()
  local SECRET = me.home .. '/.aws/credentials'
  local WRITE = [[echo "file.read '~/.aws'" > user.lua; echo "file.read '~/.aws'" > p/x.lua]]

  before_each(function()
    rig.fresh_work()
    rig.remove(CONFIG)
    place.folder(CONFIG, me)
    place.folder(me.home .. '/.aws', me)
    place.file(SECRET, 'secret', me)
    place.folder(rig.work .. '/p', me)
  end)
  after_each(function()
    rig.remove(CONFIG)
    rig.remove(me.home .. '/.aws')
  end)

  local MAKE = {
    ['a symbolic link to the file'] = ': > user.lua; ln -s $PWD/user.lua %s/user.lua',
    ['a hard link'] = ': > user.lua; ln user.lua %s/user.lua',
    ['a link to the folder'] = 'ln -s $PWD/p %s/user.d',
  }
  for name, make in pairs(MAKE) do
    it('is not the command\'s to write: ' .. name, function()
      local function made() return rig.run { 'sh', '-c', make:format(CONFIG) } end
      local function reads()
        return rig.confined({ argv = { 'cat', SECRET }, cwd = me.home .. '/elsewhere' }).out
      end
      place.folder(me.home .. '/elsewhere', me)
      assert.are.equal(0, made().code)
      assert.are.equal('', reads())
      rig.run { 'sh', '-c', WRITE }
      assert.are.equal('secret', reads())
      rig.remove(CONFIG)
      rig.fresh_work()
      place.folder(CONFIG, me)
      place.folder(rig.work .. '/p', me)
      assert.are.equal(0, made().code)
      rig.confined { argv = { 'sh', '-c', WRITE } }
      assert.are.equal('', reads())
      rig.remove(me.home .. '/elsewhere')
    end)
  end

  it('nor is what links in other protected folders of the home lead to', function()
    local unit = place.folder(me.home .. '/.config/systemd/user', me) .. '/b.service'
    local made = rig.run { 'sh', '-c', 'echo > b.service; ln -s $PWD/b.service ' .. unit }
    assert.are.equal(0, made.code)
    local write = { 'sh', '-c', 'echo x >> b.service && echo wrote' }
    assert.are.equal('wrote\n', rig.run(write).out)
    assert.are.equal('', rig.confined({ argv = write }).out)
    rig.remove(me.home .. '/.config/systemd')
  end)
end)

describe('credentials that variables name, as ' .. me.as .. ':', function()
  local KEYS = me.home .. '/keys'

  setup(function()
    rig.fresh_work()
    place.folder(KEYS, me)
    for _, name in ipairs { 'one', 'two' } do place.file(KEYS .. '/' .. name, 'secret', me) end
    place.file(rig.work .. '/key.json', 'secret', me)
  end)
  teardown(function() rig.remove(KEYS) end)

  local CASES = {
    { 'KUBECONFIG', KEYS .. '/one:' .. KEYS .. '/two', KEYS .. '/two' },
    { 'KUBECONFIG', ':' .. KEYS .. '/one', KEYS .. '/one' },
    { 'KUBECONFIG', '../keys/one', KEYS .. '/one' },
    { 'GOOGLE_APPLICATION_CREDENTIALS', 'key.json', 'key.json' },
    { 'AWS_SHARED_CREDENTIALS_FILE', '~/keys/one', KEYS .. '/one' },
    { 'KRB5CCNAME', 'FILE:' .. KEYS .. '/one', KEYS .. '/one' },
    { 'npm_config_userconfig', KEYS .. '/one', KEYS .. '/one' },
    { 'PIP_CONFIG_FILE', KEYS .. '/one', KEYS .. '/one' },
  }
  for _, case in ipairs(CASES) do
    local variable, value, file = table.unpack(case)
    it(('%s=%s'):format(variable, value), function()
      assert.are.equal('secret', rig.confined({ argv = { 'cat', file } }).out)
      local run = rig.confined { argv = { 'cat', file }, env = { [variable] = value } }
      assert.are.same({ 1, '' }, { run.code, run.out })
    end)
  end

  for variable, form in pairs { CUPS_SERVER = '%s', NIX_REMOTE = 'unix://%s',
    SESSION_MANAGER = 'local/h:%s', ADB_SERVER_SOCKET = 'localfilesystem:%s',
    CADDY_ADMIN = 'unix/%s', CONTAINER_HOST = 'unix://%s?x=1' } do
    it(variable .. ' names a socket', function()
      local socket = rig.start('listener', { path = KEYS .. '/x.sock' }).sockets[1]
      assert.are.equal('reached', rig.inside({ 'connect', socket }).result)
      assert.are.equal('refused', rig.inside({ 'connect', socket },
        { env = { [variable] = form:format(socket) } }).result)
      rig.stop_all()
    end)
  end
end)

describe('a layer that means nothing, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)
  after_each(function() rig.remove(SITE) end)

  for name, case in pairs {
    ['a list with a hole'] = { 'site.lua', "file.hide { '/srv/a', facts.env.NOT_SET, '/srv/b' }",
      'an item of the list is nil' },
    ['a record among layers'] = { 'site.d/x.lua', "return record { name = 'x' }",
      'returns a value' },
    ['statements in a record'] = { 'authorities/x.lua',
      "net 'none' return record { name = 'x', grants = 'x' }", 'holds statements' },
    ['a record without files'] = { 'secrets/x.lua', "return record { name = 'x' }",
      '`files` is missing' },
    ['a URL of a file'] = { 'site.lua', "file.hide 'file:/srv/a'", 'is no path' },
    ['a pattern of a long part'] = { 'site.lua', "file.hide('/srv/*/' .. ('a'):rep(256))",
      'at most 255 bytes' },
    ['an address of D-Bus'] = { 'site.lua', "socket.refuse 'unix:path=/srv/a'", 'is no path' },
    ['a blank before a path'] = { 'site.lua', "file.hide ' /srv/a'", 'with a blank' },
    ['braces'] = { 'site.lua', "file.hide '/srv/{a,b}'", 'braces are no pattern' },
    ['a range in a grant'] = { 'site.lua', "file.write '/srv/a[12]'", 'without stars' },
  } do
    it('is an error: ' .. name, function()
      rig.site(case[1], case[2] .. '\n')
      local run = rig.confined { argv = { 'echo', 'ran' } }
      assert.are.same({ 125, '' }, { run.code, run.out })
      assert.is_truthy(run.err:find(case[3], 1, true), run.err)
    end)
  end

  it('is an error: a file in the place of the folder', function()
    rig.remove(SITE)
    place.file(SITE, "file.hide '/etc/hostname'\n")
    local run = rig.confined { argv = { 'echo', 'ran' } }
    assert.are.same({ 125, '' }, { run.code, run.out })
    assert.is_truthy(run.err:find('is not a folder', 1, true), run.err)
    os.remove(SITE)
  end)

  it('takes a name with brackets on the command line as it is', function()
    place.folder(rig.work .. '/[id]', me)
    place.file(rig.work .. '/[id]/key', 'secret', me)
    local run = rig.confined { argv = { 'cat', '[id]/key' }, flags = { '--hide', '[id]/key' } }
    assert.are.same({ 1, '' }, { run.code, run.out })
  end)
end)

describe('what belongs to the program, as ' .. me.as .. ':', function()
  it('is not written by what it confines, where it is installed in the home', function()
    rig.fresh_work()
    local home = me.home .. '/.local'
    local program, probe = home .. '/bin/confine-lua', home .. '/lib/confine-lua/confine-probe'
    local script = home .. '/share/confine-lua/scripts/site.lua'
    for _, where in ipairs { program, probe, script } do
      place.folder(where:match '^(.*)/', me)
      place.file(where, '', me, 493)
    end
    assert.are.equal(0, rig.run({ 'cp', rig.program, program }).code)
    local argv = { 'sh', '-c', 'for f; do { echo x >> "$f"; } 2>/dev/null && echo "$f"; done; true',
      'sh', probe, script }
    assert.are.equal(probe .. '\n' .. script .. '\n', rig.run(argv).out)
    local run = rig.run { program, 'run', '-q', '--write', me.home, '--', table.unpack(argv) }
    assert.are.same({ 0, '' }, { run.code, run.out }, run.err)
    rig.remove(home)
  end)
end)
