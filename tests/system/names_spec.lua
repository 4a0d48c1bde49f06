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
end)
