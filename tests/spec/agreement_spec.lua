-- What explain says of a file and what the view makes of it, where grants, exceptions and
-- protections lie in one another. Each case was a disagreement once.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local host = require 'host'
local plan = require 'confine.pipeline.plan'
local verdict = require 'confine.pipeline.verdict'

local SSH = { name = 'ssh', from = 'policies/secrets/ssh.lua', files = { '~/.ssh', '~/.netrc' },
  why = 'keys' }

local HOME = '/home/ada'
local TREE = { [HOME .. '/.ssh'] = 'dir', [HOME .. '/.ssh/known_hosts'] = 'file',
  [HOME .. '/.netrc'] = 'file', [HOME .. '/d'] = 'dir', [HOME .. '/d/c'] = 'dir',
  [HOME .. '/d/c/x'] = 'file', [HOME .. '/d/c/deep'] = 'dir', [HOME .. '/d/c/deep/z'] = 'file',
  [HOME .. '/d/one'] = 'socket', [HOME .. '/d/two'] = 'socket', [HOME .. '/work/.envrc'] = 'file',
  ['inode ' .. HOME .. '/d/one'] = 7, ['inode ' .. HOME .. '/d/two'] = 7 }

--- What some statements come to.
-- @return function(path) -> the verdict on it and the operations that stand at it, in their order:
--   the kind of each, of a bind its access, of a shadow how it is made; and the entries of the
--   last shadow there, by name
local function under(...)
  local facts, door = host.facts { tree = TREE }
  local resolved, problems, _, policy = host.resolve { facts = facts, door = door,
    layers = { (host.layer { ... }) }, secrets = { SSH } }
  assert.are.same({}, problems)
  local made, wrong = plan.build(policy, facts, { 'true' }, resolved)
  assert.are.same({}, wrong)
  return function(where)
    local look = door.look({}, { where }).looks[where][1]
    local judge = look.type == 'socket' and verdict.socket or verdict.file
    local out, entries = { judge(resolved, where, look).verdict }, {}
    for _, op in ipairs(made.ops) do
      if op.path == where then
        local more = op.pin and 'pin' or op.access or op.by
        out[#out + 1] = more and op.op .. ' ' .. more or op.op
        for _, entry in ipairs(op.entries or {}) do entries[entry.name] = entry.as end
      end
    end
    return table.concat(out, ', '), entries
  end
end

describe('explain and the view agree', function()
  it('that where a grant of writing lifts the same hiding, one of reading below takes nothing away',
    function()
      local at = under({ 'file.write', '~/.ssh' }, { 'file.read', '~/.ssh/known_hosts' })
      assert.are.equal('writable', (at(HOME .. '/.ssh/known_hosts')))
      assert.are.equal('writable, bind rw', (at(HOME .. '/.ssh')))
    end)

  it('that a grant of reading makes what it shows again not writable', function()
    for _, verb in ipairs { 'file.write', 'file.private' } do
      local at = under({ verb, '~' }, { 'file.read', { '~/.netrc', '~/.ssh/known_hosts' } })
      assert.are.equal('readable, bind ro', at(HOME .. '/.netrc'))
      assert.are.equal('readable, bind ro', at(HOME .. '/.ssh/known_hosts'))
    end
  end)

  it('that it shows nothing in an empty private place', function()
    local at = under({ 'file.private', { '~', empty = true } }, { 'file.read', '~/.netrc' })
    assert.are.equal('private', at(HOME .. '/.netrc'))
  end)

  it('that a protected grant of writing belongs to the place around it', function()
    local at = under({ 'file.private', '~' }, { 'file.write', '~/work/.envrc' },
      { 'file.protect', '~/work/.envrc' })
    assert.are.equal('protected, protect', at(HOME .. '/work/.envrc'))
    at = under({ 'file.private', '~' }, { 'file.write', '~/d/c' }, { 'file.protect', '~/d/c' })
    assert.are.equal('private', at(HOME .. '/d/c'))
    at = under({ 'file.private', '~/d' }, { 'file.write', { '~', '~/d' } },
      { 'file.protect', '~/d' })
    assert.are.equal('private, private', at(HOME .. '/d'))
    at = under({ 'file.write', '~/d' }, { 'file.protect', '~/d' })
    assert.are.equal('protected', at(HOME .. '/d'))
  end)

  it('that protections hold in what an exception shows of a hidden writable folder', function()
    local at = under({ 'file.write', '~/d' }, { 'file.hide', { '~/d', except = '~/d/c' } },
      { 'file.protect', '~/d/c/deep/z' })
    assert.are.equal('writable, bind rw', at(HOME .. '/d/c'))
    assert.are.equal('writable, bind pin', at(HOME .. '/d/c/deep'))
    assert.are.equal('protected, protect', at(HOME .. '/d/c/deep/z'))
  end)

  it('that what an exception shows in a private place is the host\'s, and readable', function()
    local at = under({ 'file.private', '~' }, { 'file.hide', { '~/d', except = '~/d/c' } })
    assert.are.equal('readable, bind ro', at(HOME .. '/d/c'))
    assert.are.equal('readable', at(HOME .. '/d/c/x'))
    at = under({ 'file.private', { '~', empty = true } },
      { 'file.hide', { '~/d', except = '~/d/c' } })
    assert.are.equal('private', at(HOME .. '/d/c'))
  end)

  it('that what two exceptions show shows, one in the other', function()
    local at = under({ 'file.hide', { '~/d', except = '~/d/c' } },
      { 'file.hide', { '~/d/c', except = '~/d/c/deep' } })
    assert.are.equal('hidden', at(HOME .. '/d/c/x'))
    assert.are.equal('readable, bind ro', at(HOME .. '/d/c/deep'))
  end)

  it('that what is hidden in what shows is hidden whole, though names in it are too', function()
    local at = under({ 'file.hide', { '~/d', except = '~/d/c' } }, { 'file.hide', '~/d/c/deep' },
      { 'file.hide', '~/d/c/deep/z' })
    assert.are.equal('hidden', at(HOME .. '/d/c/deep'))
    local _, entries = at(HOME .. '/d/c')
    assert.are.same({ deep = 'absent' }, entries)
  end)

  it('that no line about files lets a refused socket through', function()
    for _, line in ipairs { { 'file.write', '~/d/one' }, { 'file.read', '~/d/one' },
      { 'file.hide', { '~/d', except = '~/d/one' } }, { 'file.write', '~/d/two' } } do
      local at = under(line, { 'socket.refuse', '~/d/one' })
      assert.are.equal('refused', at(HOME .. '/d/one'))
      assert.are.equal('refused', at(HOME .. '/d/two'))
      at = under(line, { 'socket.default', 'refused' })
      assert.are.equal('refused', at(HOME .. '/d/one'))
    end
  end)

  it('that a socket is hidden by all its names', function()
    local at = under { 'file.hide', '~/d/one' }
    assert.are.equal('refused', at(HOME .. '/d/one'))
    assert.are.equal('refused', at(HOME .. '/d/two'))
    at = under({ 'file.hide', '~/d/one' }, { 'socket.grant', '~/d/two' })
    assert.are.equal('refused', at(HOME .. '/d/two'))
  end)

  it('that an exception of a star shows in a writable or private place', function()
    for _, verb in ipairs { 'file.write', 'file.private' } do
      local at = under({ verb, '~/d' }, { 'file.hide', { '~/d/*', except = '~/d/c' } })
      local _, entries = at(HOME .. '/d')
      assert.are.same({ c = 'keep', ['*'] = 'absent', one = 'absent', two = 'absent' }, entries)
    end
  end)

  it('that an exception from a protected folder is writable, save what is protected', function()
    local protect = { 'file.protect', { '~/d', except = '~/d/c' } }
    for _, place in ipairs { '~', '~/d' } do
      local at = under({ 'file.write', place }, protect, { 'file.protect', '~/d/c/deep/z' })
      assert.are.equal('writable, bind rw', at(HOME .. '/d/c'))
      assert.are.equal('writable, bind pin', at(HOME .. '/d/c/deep'))
      assert.are.equal('protected, protect', at(HOME .. '/d/c/deep/z'))
    end
    assert.are.equal('readable', under(protect)(HOME .. '/d/c'))
  end)
end)
