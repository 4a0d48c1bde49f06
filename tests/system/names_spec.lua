--- Names that mean more than a file: at one a socket is refused and something else stands, one of
--- two that mounts give the same file.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me

local function shell(line)
  local outcome = process.run { argv = { 'sh', '-ec', line } }
  assert.are.same({ 0, '' }, { outcome.code, outcome.err })
end

describe('names, as ' .. me.as .. ':', function()
  setup(rig.fresh_work)

  it('what stands at the name of a refused socket is taken away, whatever lines say', function()
    local odd = me.home .. '/odd'
    local names = { odd .. '/folder', odd .. '/file', odd .. '/star-file' }
    place.folder(names[1], me)
    for _, name in ipairs { names[1] .. '/in', names[1] .. '/below', names[2], names[3] } do
      place.file(name, 'x', me)
    end
    local listener = rig.start('listener', { path = names[1] .. '/s' })
    local policy = rig.policy('odd', ([[
      socket.refuse { '%s/folder', '%s/file', '%s/star-*' }
      file.hide '%s/folder/below'
      file.write { '%s/folder', '%s/file', '%s/star-file' }]]):gsub('%%s', odd))
    local function judge(attempt)
      assert.are.same({ attempt, 'reached' }, { attempt, rig.outside(attempt).result })
      local inside = rig.inside(attempt, { flags = { '-p', policy } })
      assert.are.same({ attempt, 'refused' }, { attempt, inside.result })
    end
    for _, name in ipairs { names[1] .. '/in', names[1] .. '/below', names[2], names[3] } do
      judge { 'read', name }
      judge { 'write', name }
    end
    judge(listener.ready[1])
    rig.stop(listener)
    rig.remove(odd)
  end)

  it('what stands at the name of a socket that a built-in record refuses is taken away', function()
    local name = place.folder(me.home .. '/.docker/run/docker.sock', me)
    local attempt = { 'read', place.file(name .. '/in', 'x', me) }
    assert.are.equal('reached', rig.outside(attempt).result)
    assert.are.equal('refused', rig.inside(attempt).result)
    local said = rig.run { rig.program, 'explain', attempt[2] }
    local from = 'policies/authorities/docker.lua'
    assert.are.same({ 0, from }, { said.code, said.out:match '\n  line     (%S+)' })
    rig.remove(me.home .. '/.docker')
  end)

  it('what is hidden by one of the names that two mounts give it is hidden by the other', function()
    local own, second = me.home .. '/twice', place.folder('/srv/again', me)
    place.folder(own .. '/.dot', me)
    place.file(own .. '/.dot/key', 'x', me)
    place.file(own .. '/plain', 'x', me)
    shell(('mount --bind %s %s'):format(own, second))
    for _, lines in ipairs {
      ("file.hide '%s'\n"):format(second),
      ("file.hide { '%s', '%s/.*', '%s/plain' }\n"):format(second, own, own),
      ("file.hide '%s'\nfile.write '%s'\n"):format(second, own),
      ("file.hide { '%s', '%s/plain' }\n"):format(second .. '/.dot', own),
      ("file.hide { '%s', except = '%s/none' }\n"):format(own, own),
    } do
      local flags = { '-p', rig.policy('twice', lines) }
      for _, name in ipairs { own .. '/.dot/key', own .. '/plain', second .. '/.dot/key',
        second .. '/plain' } do
        local attempt = { 'read', name }
        assert.are.same({ name, 'reached' }, { name, rig.outside(attempt).result })
        assert.are.same({ lines, name, 'refused' },
          { lines, name, rig.inside(attempt, { flags = flags }).result })
        local told = rig.run({ rig.program, 'explain', flags[1], flags[2], name }).out
        assert.are.equal(name .. ': hidden', told:match '^[^\n]+')
      end
    end
    shell('umount ' .. second)
    rig.remove(own)
  end)

  it('a home that is mounted twice is one by both names', function()
    local second = place.folder('/srv/home-again', me)
    place.file(me.home .. '/.profile', 'x\n', me)
    shell(('mount --rbind %s %s'):format(me.home, second))
    for _, attempt in ipairs { { 'write', second .. '/.profile' },
      { 'create', second .. '/.zshrc' } } do
      assert.are.same({ attempt, 'reached' }, { attempt, rig.outside(attempt).result })
      assert.are.same({ attempt, 'refused' },
        { attempt, rig.inside(attempt, { flags = { '--write', second } }).result })
    end
    assert.are.equal('x\n', process.slurp(me.home .. '/.profile'))
    shell('umount -R ' .. second)
  end)

  it('a part of a home that is mounted in the tree is a part of the home there, too', function()
    place.folder(me.home .. '/.config', me)
    local part = place.folder(rig.work .. '/part', me)
    shell(('mount --bind %s/.config %s'):format(me.home, part))
    local line = 'mkdir -p part/autostart part/gh; echo x >part/autostart/x.desktop; '
      .. 'echo x >part/gh/hosts.yml; echo x >part/plain; true'
    assert.are.equal(0, rig.run({ 'sh', '-c', line }).code)
    for _, name in ipairs { '/autostart/x.desktop', '/gh/hosts.yml', '/plain' } do
      assert.is_true(place.exists(me.home .. '/.config' .. name), name)
    end
    shell(('rm -rf %s/*'):format(part))
    assert.are.equal(0, rig.confined({ argv = { 'sh', '-c', line } }).code)
    assert.is_true(place.exists(me.home .. '/.config/plain'))
    for _, name in ipairs { '/autostart/x.desktop', '/gh/hosts.yml' } do
      assert.is_false(place.exists(me.home .. '/.config' .. name), name)
    end
    shell('umount ' .. part)
    rig.remove(me.home .. '/.config')
  end)

  it('a tree that is mounted into itself, and a mount that covers another, hide no name', function()
    local inner = place.folder(rig.work .. '/self', me)
    place.file(rig.work .. '/page', 'x', me)
    place.folder(me.home .. '/vault/in', me)
    place.file(me.home .. '/vault/in/key', 'x', me)
    local over = place.folder('/srv/over/in', me)
    shell(('mount --bind %s %s; mount -t tmpfs none %s; mount --bind %s/vault /srv/over')
      :format(rig.work, inner, over, me.home))
    for line, names in pairs {
      ["file.hide 'self/*'"] = { rig.work .. '/page', inner .. '/page' },
      ["socket.refuse 'self/*'"] = { rig.work .. '/page', inner .. '/page' },
      ["file.hide '/srv/over/in/key'"] = { me.home .. '/vault/in/key', '/srv/over/in/key' },
    } do
      for _, name in ipairs(names) do
        local attempt = { 'read', name }
        assert.are.same({ name, 'reached' }, { name, rig.outside(attempt).result })
        assert.are.same({ line, name, 'refused' }, { line, name,
          rig.inside(attempt, { flags = { '-p', rig.policy('self', line .. '\n') } }).result })
      end
    end
    shell(('umount %s /srv/over %s'):format(inner, over))
    rig.remove(me.home .. '/vault')
  end)

  it('strict hides a home that is mounted twice, though its other name is granted', function()
    local second = place.folder('/srv/home-again', me)
    place.folder(me.home .. '/.ssh', me)
    place.file(me.home .. '/.ssh/id', 'x', me)
    shell(('mount --rbind %s %s'):format(me.home, second))
    for _, flag in ipairs { '--write', '--read', '--private' } do
      for _ = 1, 3 do
        local run = rig.confined { argv = { 'cat', second .. '/.ssh/id' },
          flags = { '-p', 'strict', flag, second } }
        assert.are.same({ flag, '', 1 }, { flag, run.out, run.code })
      end
    end
    shell('umount -R ' .. second)
    rig.remove(me.home .. '/.ssh')
  end)
end)
