-- Hard links: what is refused under one name is so under all that are found.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local bounds = require 'confine.pipeline.bounds'
local explain = require 'confine.views.explain'
local host = require 'host'
local plan = require 'confine.pipeline.plan'

local HOME = '/home/ada'
local function tree(more)
  local out = { [HOME .. '/d'] = 'dir', [HOME .. '/e'] = 'dir', ['/srv'] = 'dir',
    [HOME .. '/d/key'] = 'file', [HOME .. '/e/copy'] = 'file', [HOME .. '/work/copy'] = 'file',
    [HOME .. '/d/s'] = 'socket', [HOME .. '/work/s'] = 'socket', ['/srv/s'] = 'socket',
    [HOME .. '/work/own'] = 'socket' }
  for _, name in ipairs { '/d/key', '/e/copy', '/work/copy' } do
    out['inode ' .. HOME .. name] = 5
  end
  for _, name in ipairs { HOME .. '/d/s', HOME .. '/work/s', '/srv/s' } do
    out['inode ' .. name] = 6
  end
  for name, kind in pairs(more or {}) do out[name] = kind end
  return out
end

--- A host under some statements.
-- @return function(thing) -> what explain says, and the plan
local function under(...)
  local facts, door = host.facts { tree = tree() }
  local resolved, problems, _, policy = host.resolve { facts = facts, door = door,
    layers = { (host.layer { ... }) } }
  assert.are.same({}, problems)
  local made = assert(plan.build(policy, facts, { 'true' }, resolved))
  local function look(where) return door.look({}, { where }).looks[where][1] end
  return function(thing) return explain.thing(resolved, thing, look) end, made, facts
end

describe('a hard link', function()
  it('to a hidden file is hidden, also in the tree', function()
    local said, made = under { 'file.hide', '~/d/key' }
    local absent = {}
    for _, op in ipairs(made.ops) do
      for _, entry in ipairs(op.entries or {}) do
        if entry.as == 'absent' then absent[op.path .. '/' .. entry.name] = entry.from end
      end
    end
    for _, name in ipairs { '/d/key', '/e/copy', '/work/copy' } do
      assert.are.equal('hidden', said('file:' .. HOME .. name).verdict)
      assert.are.equal('site.lua:1', absent[HOME .. name], name)
    end
    assert.are.same({}, made.unfound)
  end)

  it('to a protected file is protected where it could be written', function()
    local said = under { 'file.protect', '~/d/key' }
    assert.are.equal('protected', said('file:' .. HOME .. '/work/copy').verdict)
    assert.are.equal('readable', said('file:' .. HOME .. '/e/copy').verdict)
  end)

  it('to a file in a hidden folder is hidden', function()
    local said = under { 'file.hide', '~/d' }
    assert.are.equal('hidden', said('file:' .. HOME .. '/e/copy').verdict)
    assert.are.equal('hidden', said('file:' .. HOME .. '/work/copy').verdict)
  end)

  it('to a protected file that is hidden is not written either', function()
    local said = under({ 'file.protect', '~/d/key' }, { 'file.hide', { '~', except = { '.' } } })
    assert.are.equal('protected', said('file:' .. HOME .. '/work/copy').verdict)
  end)

  it('is not shown by an exception that lies outside of what is hidden', function()
    for _, name in ipairs { '/d/key', '/d/s' } do
      local said = under { 'file.hide', { '~' .. name, except = { '.', '~/e' } } }
      local copy = name == '/d/s' and 'unix://' .. HOME .. '/work/s' or 'file:' .. HOME .. '/e/copy'
      assert.are_not.equal('readable', said(copy).verdict)
      assert.are_not.equal('reachable', said(copy).verdict)
    end
    local said = under { 'file.hide', { '~/d', except = { '~/e' } } }
    assert.are.equal('hidden', said('file:' .. HOME .. '/e/copy').verdict)
  end)

  it('is held in each way in which one of the names is', function()
    local said = under({ 'file.protect', '~/e/copy' }, { 'file.hide', '~/d/key' })
    assert.are.equal('hidden', said('file:' .. HOME .. '/e/copy').verdict)
    said = under({ 'file.hide', '~/d/key' }, { 'file.read', '~/d/key' })
    assert.are.equal('hidden', said('file:' .. HOME .. '/e/copy').verdict)
  end)

  it('to a refused socket is refused, and what is not found is said', function()
    local said, made, facts = under { 'socket.refuse', '~/d/s' }
    assert.are.equal('refused', said(HOME .. '/work/s').verdict)
    assert.are.equal('reachable', said('/srv/s').verdict)
    assert.are.equal(HOME .. '/d/s', made.unfound[1].path)
    assert.is_truthy(made.unfound[1].message:find '^1 more names')
    local weaker = bounds.of(made, facts, {}, { of = {}, guards = {},
      stage = { results = {}, left = 0, waiting = 0, unwatched = 0 } }).weaker
    assert.are.equal('further_names', weaker[1].name)
    said = under({ 'socket.refuse', '~/d/s' }, { 'file.hide', '/srv/none' })
    assert.are.equal('refused', said('/srv/s').verdict)
  end)

end)

describe('where no socket is reachable that no list names', function()
  it('those in the tree are refused name by name, those of shadowed folders altogether', function()
    local said, made = under { 'socket.default', 'refused' }
    assert.are.equal('refused', said(HOME .. '/work/own').verdict)
    assert.are.equal('reachable', said('/srv/s').verdict)
    local masked, others = {}, {}
    for _, op in ipairs(made.ops) do
      others[op.path] = op.others
      for _, entry in ipairs(op.entries or {}) do
        masked[op.path .. '/' .. entry.name] = entry.as
      end
    end
    assert.are.equal('inert', masked[HOME .. '/work/own'])
    assert.are.equal('keep', others[HOME .. '/work'])
  end)

  it('a granted one is reachable by each of its names', function()
    local said = under({ 'socket.default', 'refused' }, { 'socket.grant', '~/d/s' })
    assert.are.equal('reachable', said(HOME .. '/d/s').verdict)
    assert.are.equal('reachable', said(HOME .. '/work/s').verdict)
    assert.are.equal('refused', said(HOME .. '/work/own').verdict)
  end)
end)
