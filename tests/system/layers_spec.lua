--- Layers at work: a project's own policy can only refuse, and a grant of an authority works on a
--- real agent without opening anything else.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local session = require 'tests.rig.session'

local me = rig.me
local PROJECT = rig.work .. '/.confine.lua'
local MARK = rig.work .. '/started'

describe("a project's own policy, as " .. me.as .. ':', function()
  before_each(function() rig.fresh_work() end)
  after_each(function() rig.stop_all() end)

  --- The policy stops the run, and the message names file, line and words.
  local function is_refused(text, line, words)
    place.file(PROJECT, text, me)
    local run = rig.confined { argv = { '/usr/bin/touch', MARK } }
    assert.are.same({ text, 125, '' }, { text, run.code, run.out })
    for _, word in ipairs { ('%s:%d:'):format(PROJECT, line), table.unpack(words) } do
      assert.is_true(run.err:find(word, 1, true) ~= nil, ('no `%s` in:\n%s'):format(word, run.err))
    end
    assert.is_false(place.exists(MARK))
  end

  it('is refused, file and line, for each granting word', function()
    for word, argument in pairs { ['authority.grant'] = "'docker'", ['socket.grant'] = "'/srv/x'",
      ['env.allow'] = "'TERM'", ['env.set'] = "{ A = 'b' }", ['file.read'] = "'~/.ssh'",
      ['file.write'] = "'~'", ['file.private'] = "'~'", ['device.grant'] = "'/dev/fuse'",
      ['accept'] = "'abstract_sockets'" } do
      is_refused(('\n%s(%s)\n'):format(word, argument), 2, { word })
    end
  end)

  it('is refused at the line whose stars look at too much of the host', function()
    local remedy = 'remedy: name the folder itself'
    for _, thing in ipairs { '/usr/*/*/*/x', '/*/*/*/x' } do
      is_refused(("for i = 1, 1000 do\n  file.hide('%s' .. i)\nend\n"):format(thing), 2,
        { ("file.hide '%s"):format(thing), 'more than 500000 names are looked at', remedy })
    end
    is_refused("\nfile.hide { '/usr', except = '/usr/*/../x' }", 2, { 'no `..` behind a star' })
    -- A line of a few stars is no hindrance.
    place.file(PROJECT, "file.hide { '*/*/*.pem', '/srv/*/*.pem' }\n", me)
    assert.are.equal('', rig.confined({ argv = { 'true' } }).err)
  end)

  it('floods no terminal with what is wrong in it', function()
    place.file(PROJECT, 'for i = 1, 900 do file.write("/srv/" .. i) end\n', me)
    for _, argv in ipairs { { 'run', '--', 'true' }, { 'check' } } do
      local run = rig.run({ rig.program, table.unpack(argv) }, { cwd = rig.work })
      local _, lines = run.err:gsub('\n', '')
      assert.are.same({ 41, true }, { lines, run.err:find 'confine%-lua: and 880 more\n$' ~= nil })
    end
    local json = rig.run({ rig.program, 'check', '--json' }, { cwd = rig.work }).out
    assert.are.equal(900, select(2, json:gsub('untrusted_grant', '')))
  end)

  it('is refused for a fact that it may not see', function()
    for _, fact in ipairs { 'env.HOME', 'sockets[1]', 'owners[1]', 'holders[1]' } do
      is_refused(('\nif facts.%s then net \'none\' end\n'):format(fact), 2,
        { ("there is no fact '%s' here"):format(fact:match('^%w+')) })
    end
  end)

  it('is refused for an include of a foreign file or of a looser profile', function()
    for _, name in ipairs { '/etc/passwd', me.home .. '/policies/loose.lua', './other.lua', '../x',
      'agent' } do
      place.file(rig.work .. '/other.lua', "net 'host'\n", me)
      is_refused(("include '%s'\n"):format(name), 1, { 'include' })
    end
  end)

  it('is refused for each way out of the policy environment', function()
    for _, code in ipairs { "io.open('/etc/passwd')", "os.execute('true')",
      "require 'confine.core'", "load('return 1')()", "loadfile('/etc/passwd')",
      "dofile('/etc/passwd')", 'debug.getregistry()', 'package.loadlib()', 'coroutine.create()',
      'getmetatable(\'\')', 'setmetatable({}, {})', 'rawset({}, 1, 1)',
      'collectgarbage()', 'pcall(error)', 'string.dump(function() end)' } do
      is_refused(('\n%s\n'):format(code), 2, { code:match('^string%.(%w+)') or code:match('^%w+') })
    end
  end)

  it('has its refusals applied: names, sockets, variables, the network', function()
    local path = me.home .. '/database.sock'
    local daemon = rig.start('listener', { path = path })
    place.file(me.home .. '/page', 'x', me)
    local flags = { '--env', 'TERM', '--net', 'host' }
    local net = rig.run({ 'readlink', '/proc/self/ns/net' }).out
    local function answers()
      local shown = rig.confined { flags = flags, env = { TERM = 'vt100' },
        argv = { 'sh', '-c', 'echo "$TERM"; readlink /proc/self/ns/net' } }
      return { rig.inside(daemon.ready[1], { flags = flags }).result,
        rig.inside({ 'read', me.home .. '/page' }, { flags = flags }).result,
        shown.out:match('^(.-)\n'), shown.out:match('\n(.*)$') == net }
    end
    place.file(PROJECT, '', me)
    assert.are.same({ 'reached', 'reached', 'vt100', true }, answers())
    place.file(PROJECT, ("socket.refuse '%s'\nfile.hide '~/page'\nenv.refuse 'TE*'\nnet 'none'\n")
      :format(path), me)
    assert.are.same({ 'refused', 'refused', '', false }, answers())
  end)

  it('adds to a record what is refused with it and not granted with it', function()
    local hidden = place.folder(me.home .. '/.ssh', me, 448) .. '/mux'
    local daemon = rig.start('listener', { path = hidden })
    place.file(PROJECT, ("authority.add('docker', { sockets = { '%s' } })\n"):format(hidden), me)
    for _, flags in ipairs { {}, { '--grant', 'docker' } } do
      assert.are.equal('refused', rig.inside(daemon.ready[1], { flags = flags }).result)
      local run = rig.confined { flags = flags, argv = { 'sh', '-c', 'echo "$DOCKER_HOST"' } }
      assert.are.equal('\n', run.out)
    end
    rig.remove(me.home .. '/.ssh')
  end)
end)

describe('a layer that cannot be read, as ' .. me.as .. ':', function()
  local SITE = '/etc/confine-lua'

  setup(function() rig.fresh_work() end)
  after_each(function() rig.remove(SITE) end)

  --- No run starts, and the name and the reason are told.
  local function is_refused(where, reason)
    local run = rig.confined { argv = { 'echo', 'ran' } }
    assert.are.same({ 125, '' }, { run.code, run.out })
    assert.is_truthy(run.err:find(where .. ': ', 1, true), run.err)
    assert.is_truthy(run.err:find(reason, 1, true), run.err)
  end

  it('a folder that may not be listed, or is none', function()
    local site = rig.site('site.d/10-house.lua', "file.hide '/etc/hostname'\n")
    assert.are.equal('refused', rig.inside({ 'read', '/etc/hostname' }).result)
    if me.uid ~= 0 then
      place.folder(SITE .. '/site.d', nil, 448)
      is_refused(SITE .. '/site.d', 'Permission denied')
    end
    os.remove(site)
    rig.remove(SITE .. '/site.d')
    rig.site('site.d', 'no folder')
    is_refused(SITE .. '/site.d', 'Not a directory')
    rig.remove(SITE .. '/site.d')
    rig.site('secrets', 'no folder')
    is_refused(SITE .. '/secrets', 'Not a directory')
  end)

  it('a link that leads nowhere', function()
    rig.site('sockets.list', '')
    for _, name in ipairs { 'site.lua', 'site.d', 'authorities', 'profiles' } do
      rig.symlink('/srv/not-mounted/' .. name, SITE .. '/' .. name)
      is_refused(SITE .. '/' .. name, 'leads nowhere')
      os.remove(SITE .. '/' .. name)
    end
    rig.remove(SITE)
    rig.symlink('/srv/not-mounted', SITE)
    is_refused(SITE, 'leads nowhere')
    os.remove(SITE)
  end)

  it('a link that leads to itself', function()
    local own = me.home .. '/.config/confine-lua'
    rig.remove(own)
    for _, where in ipairs { SITE .. '/site.lua', SITE .. '/authorities', SITE, own .. '/user.lua',
      own, rig.work .. '/.confine.lua' } do
      rig.remove(where)
      place.folder((where:match '^(.*)/'), where:find(SITE, 1, true) ~= 1 and me or nil)
      rig.symlink(where:match '[^/]*$', where)
      is_refused(where, 'a link that leads to itself')
      rig.remove(where)
    end
  end)

  it('check warns of names that no run reads', function()
    rig.site('authority/x.lua', 'return {}')
    rig.site('sites.lua', '')
    rig.site('site.d/x.txt', '')
    local told = rig.run { rig.program, 'check' }
    assert.are.equal(0, told.code, told.err)
    for _, line in ipairs { "authority: no run reads this\n    remedy: did you mean 'authorities'?",
      "sites.lua: no run reads this\n    remedy: did you mean 'site.lua'?",
      'site.d/x.txt: no run reads this' } do
      assert.is_truthy(told.out:find(('%s/%s'):format(SITE, line), 1, true), told.out)
    end
  end)
end)

describe('authority.grant, as ' .. me.as .. ':', function()
  local KEY = me.home .. '/.ssh/id_test'

  setup(function()
    rig.fresh_work()
    place.folder(me.home .. '/.ssh', me, 448)
    assert.are.equal(0, rig.run({ 'ssh-keygen', '-q', '-t', 'ed25519', '-N', '', '-C',
      'the key of the rig', '-f', KEY }).code)
    rig.site('site.lua', "authority.grant 'ssh_agent'\n")
  end)
  teardown(function()
    rig.remove '/etc/confine-lua'
    rig.remove(me.home .. '/.ssh')
  end)
  after_each(function() rig.stop_all() end)

  --- Starts an agent that holds the key.
  local function start(path)
    local agent = rig.start('ssh_agent', { path = path })
    assert.are.equal(0, rig.run({ 'ssh-add', '-q', KEY }, { env = agent.exports }).code)
    return agent
  end

  local LIST = 'echo "$SSH_AUTH_SOCK"; ssh-add -l | sed "s/.*:[^ ]* //"'

  it('makes the agent of the environment reachable, and sets its variable', function()
    local path = place.folder(me.home .. '/odd', me) .. '/agent.sock'
    local agent = start(path)
    local run = rig.confined { env = agent.exports, argv = { 'sh', '-c', LIST } }
    assert.are.same({ 0, path .. '\nthe key of the rig (ED25519)\n', '' },
      { run.code, run.out, run.err })
  end)

  it('makes a live agent of the record reachable where the environment names none', function()
    local path = me.runtime .. '/ssh-agent.socket'
    start(path)
    local run = rig.confined { argv = { 'sh', '-c', LIST } }
    assert.are.same({ 0, path .. '\nthe key of the rig (ED25519)\n' }, { run.code, run.out })
  end)

  it('makes an agent reachable that only its owner tells', function()
    local path = place.folder(me.home .. '/odd', me) .. '/owned.sock'
    start(path)
    local run = rig.confined { argv = { 'sh', '-c', LIST } }
    assert.are.same({ 0, path .. '\nthe key of the rig (ED25519)\n' }, { run.code, run.out })
  end)

  it('keeps the agent reachable when it restarts', function()
    for _, folder in ipairs { me.runtime, place.folder(me.home .. '/odd', me) } do
      local path = folder .. '/restarted.sock'
      local agent = start(path)
      local inside = session.open { env = agent.exports }
      local seen = { inside:attempt(agent.ready[1]).result }
      rig.stop(agent)
      os.remove(path)
      start(path)
      seen[2] = inside:attempt(agent.ready[1]).result
      inside:close()
      rig.stop_all()
      os.remove(path)
      assert.are.same({ folder, 'reached', 'reached' }, { folder, table.unpack(seen) })
    end
  end)

  it('leaves the credential files hidden and everything else refused', function()
    local agent = start(me.runtime .. '/ssh-agent.socket')
    local bus = rig.start 'session_bus'
    local env = { SSH_AUTH_SOCK = agent.exports.SSH_AUTH_SOCK,
      DBUS_SESSION_BUS_ADDRESS = bus.exports.DBUS_SESSION_BUS_ADDRESS }
    local seen = {}
    for _, attempt in ipairs { agent.ready[1], { 'read', KEY }, bus.ready[1] } do
      seen[#seen + 1] = ('%s %s'):format(rig.outside(attempt).result,
        rig.inside(attempt, { env = env }).result)
    end
    assert.are.same({ 'reached reached', 'reached refused', 'reached refused' }, seen)
    local run = rig.confined { env = env,
      argv = { 'sh', '-c', 'echo "$DBUS_SESSION_BUS_ADDRESS"' } }
    assert.are.equal('\n', run.out)
  end)

  it('is told by explain with its line and what it hands out', function()
    local told = rig.run { rig.program, 'explain', 'authority:ssh_agent' }
    assert.are.equal(([[
authority:ssh_agent: granted
  reason   granted
  grants   logs in and signs with every ssh key that the agent holds
  line     /etc/confine-lua/site.lua:1
]]), told.out)
  end)

  it('shows the credential files that a record needs, and no others', function()
    local token = place.file(me.home .. '/vault-token', 'hvs.secret', me, 384)
    rig.site('authorities/house.lua', ([[
return record {
  name = 'house', grants = 'the keys of the house', secrets = { '%s' }, needs_secrets = true,
}
]]):format(token))
    assert.are.equal('refused', rig.inside({ 'read', token }).result)
    local flags = { '--grant', 'house' }
    assert.are.equal('reached', rig.inside({ 'read', token }, { flags = flags }).result)
    assert.are.equal('refused', rig.inside({ 'read', KEY }, { flags = flags }).result)
    rig.remove '/etc/confine-lua/authorities'
  end)

  it('lifts nothing that is refused for good', function()
    rig.site('site.d/10-no.lua', "authority.refuse 'ssh_agent'\n")
    local agent = start(me.runtime .. '/ssh-agent.socket')
    assert.are.equal('refused', rig.inside(agent.ready[1], { env = agent.exports }).result)
    rig.remove '/etc/confine-lua/site.d'
  end)
end)

describe('a star of a policy, as ' .. me.as .. ':', function()
  it('that comes through /proc and /dev hides what it finds elsewhere', function()
    local folder = me.home:match '^/[^/]+'
    local flags = { '-p', rig.policy('stars', [[file.hide { '/*/*/secrets', '/*/star.pem' }
file.hide '/*/*/star.pem'
]]) }
    place.file(folder .. '/star.pem', 'secret')
    place.folder '/srv/star'
    place.file('/srv/star/star.pem', 'secret')
    for _, path in ipairs { folder .. '/star.pem', '/srv/star/star.pem' } do
      assert.are.equal('reached', rig.outside({ 'read', path }).result)
      local finding = rig.inside({ 'read', path }, { flags = flags })
      assert.are.same({ path, 'refused' }, { path, finding.result }, finding.detail)
      rig.remove(path)
    end
  end)
end)
