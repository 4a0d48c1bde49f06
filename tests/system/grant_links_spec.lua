--- Links that a command leaves in its tree where a later run's grant comes by: the grant would hand
--- out what the link leads to, chosen by the command. No run starts then.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local home = me.home

--- The links, as a command of an earlier run leaves them.
local LEAVE = [[ln -s ~/.bashrc o1; ln -s ~/docs o2; ln -s ~/held o3; ln -s .git/hooks o4
  ln -s ~/agents sd; ln -s ~/agents/ssh-agent.sock db.sock; mkdir bin; ln -s ../real bin/x]]

local function fresh()
  rig.fresh_work()
  for _, name in ipairs { 'docs', 'held', 'agents' } do
    rig.remove(home .. '/' .. name)
    place.folder(home .. '/' .. name, me)
  end
  place.file(home .. '/.bashrc', 'rc\n', me)
  place.file(home .. '/held/key', 'KEY\n', me)
  assert.are.equal(0, rig.run({ 'git', 'init', '-q', '.' }).code)
  place.folder(rig.work .. '/real', me)
  local left = rig.confined { argv = { 'sh', '-c', LEAVE }, env = { HOME = home } }
  assert.are.equal(0, left.code, left.err)
end

local function refused(run, link, target)
  assert.are.same({ 125, '' }, { run.code, run.out }, run.err)
  local led = ('comes by the link %s/%s, which a command may have made, to %s')
    :format(rig.work, link, target)
  assert.is_truthy(run.err:find(led, 1, true), run.err)
  assert.is_truthy(run.err:find(target .. ' itself, if that is meant', 1, true), run.err)
end

describe('a grant by a link that a command left, as ' .. me.as .. ':', function()
  teardown(rig.stop_all)

  it('is refused where it would be written, with the name of what it leads to', function()
    if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
    fresh()
    for _, case in ipairs {
      { 'o1', home .. '/.bashrc', 'echo evil >>o1', home .. '/.bashrc' },
      { 'o2', home .. '/docs', 'echo evil >o2/evil', home .. '/docs/evil' },
      { 'o4', rig.work .. '/.git/hooks', 'echo evil >o4/evil', rig.work .. '/.git/hooks/evil' },
    } do
      local link, target, attempt, file = table.unpack(case)
      local before = process.slurp(file)
      assert.are.equal(0, rig.run({ 'sh', '-c', attempt }).code)
      assert.is_truthy(process.slurp(file):find 'evil')
      if before then place.file(file, before, me) else rig.remove(file) end
      refused(rig.confined { argv = { 'sh', '-c', attempt }, flags = { '--write', link } }, link,
        target)
      assert.are.equal(before, process.slurp(file))
      -- What the message says to write instead is a grant that a person chose.
      rig.confined { argv = { 'sh', '-c', attempt }, flags = { '--write', target } }
      assert.is_truthy(process.slurp(file):find 'evil')
    end
  end)

  it('is refused where it would be read, named by a policy or below the link', function()
    fresh()
    local site = rig.site('authorities/held.lua', [[return record { name = 'held',
      grants = 'a key', secrets = { '~/held' } }]])
    assert.are.equal('KEY\n', rig.run({ 'cat', 'o3/key' }).out)
    assert.are.equal('', rig.confined({ argv = { 'cat', 'o3/key' } }).out)
    for thing, target in pairs { o3 = home .. '/held', ['o3/key'] = home .. '/held/key' } do
      local policy = rig.policy('led', ("file.read '%s'\n"):format(thing))
      refused(rig.confined { argv = { 'cat', 'o3/key' }, flags = { '-p', policy } }, 'o3', target)
      local checked = rig.run { rig.program, 'check', policy }
      assert.are.equal(1, checked.code)
      assert.is_truthy((checked.err .. checked.out):find('comes by the link', 1, true))
    end
    rig.remove(site)
  end)

  it('is refused of sockets, by name, by a star and by a variable', function()
    local lacks = rig.lacks 'ssh_agent'
    if lacks then return pending(lacks) end
    fresh()
    local socket = home .. '/agents/ssh-agent.sock'
    rig.start('ssh_agent', { path = socket })
    local list = 'SSH_AUTH_SOCK=$PWD/db.sock ssh-add -l >/dev/null 2>&1; test $? -lt 2 && echo met'
    assert.are.equal('met\n', rig.run({ 'sh', '-c', list }).out)
    assert.are.equal('', rig.confined({ argv = { 'sh', '-c', list } }).out)
    local function run(flags, env)
      return rig.confined { argv = { 'sh', '-c', list }, flags = flags, env = env }
    end
    refused(rig.confined { argv = { 'true' }, flags = { '--private', 'sd' } }, 'sd',
      home .. '/agents')
    refused(run { '--socket', 'db.sock' }, 'db.sock', socket)
    refused(run { '-p', rig.policy('led', "socket.grant 'sd/*.sock'\n") }, 'sd', socket)
    refused(run({ '--grant', 'ssh_agent' }, { SSH_AUTH_SOCK = rig.work .. '/db.sock' }), 'db.sock',
      socket)
    assert.are.equal('met\n', run({ '--grant', 'ssh_agent' }, { SSH_AUTH_SOCK = socket }).out)
    assert.are.equal('met\n', run({ '--socket', socket }).out)
  end)

  it('is granted where the link stays within the place', function()
    fresh()
    for _, flags in ipairs { { '--write', 'bin/x' }, { '--read', 'bin/x' } } do
      local run = rig.confined { argv = { 'touch', 'bin/x/made' }, flags = flags }
      assert.are.same({ 0, '' }, { run.code, run.err })
    end
  end)
end)
