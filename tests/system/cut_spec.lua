--- Where sockets that no list names are refused, what was not looked through for them is named, and
--- nothing else is.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me

describe('folders that are not looked through for sockets, as ' .. me.as .. ':', function()
  local bounds, inner = me.home .. '/bounds.json', rig.work .. '/inner'

  local function strict()
    rig.remove(bounds)
    local run = rig.confined { argv = { 'true' }, flags = { '-p', 'strict', '--bounds', bounds },
      says = true }
    assert.are.equal(0, run.code, run.err)
    return run.err, process.slurp(bounds)
  end

  teardown(function()
    for _, name in ipairs { '/run/shut', '/run/searched' } do rig.remove(name) end
  end)

  it('are not said to be the work tree where others have theirs in /run', function()
    rig.fresh_work()
    place.folder('/run/shut', nil, 448)
    place.folder('/run/shut/in', nil, 448)
    place.folder('/run/searched', nil, 457)
    assert.are.equal(me.uid == 0, rig.run({ 'ls', '/run/searched' }).code == 0)
    local said, text = strict()
    assert.is_nil(said:find('looked through', 1, true), said)
    assert.is_nil(said:find('/run/s', 1, true), said)
    -- One that can be searched is told to who asks what holds.
    local is_told = text:find('/run/searched', 1, true) ~= nil
    assert.are.same({ me.uid ~= 0, nil }, { is_told, text:find('/run/shut', 1, true) })
  end)

  it('are named where another file system lies in the tree', function()
    rig.fresh_work()
    place.folder(inner, me)
    assert.are.equal(0, process.run({ argv = { 'mount', '-t', 'ramfs', 'x', inner } }).code)
    local said = strict()
    process.run { argv = { 'umount', inner } }
    assert.is_truthy(said:find(inner .. ': not looked through whole (large, or another file '
      .. 'system)', 1, true), said)
  end)
end)

describe('a socket that no list names, as ' .. me.as .. ':', function()
  it('is refused in a tmpfs of /run too', function()
    rig.fresh_work()
    place.folder('/run/own')
    assert.are.equal(0, process.run({ argv = { 'mount', '-t', 'tmpfs', '-o', 'mode=1777', 'x',
      '/run/own' } }).code)
    local bind = 'import socket as s; s.socket(s.AF_UNIX, s.SOCK_DGRAM).bind("/run/own/s")'
    if rig.run({ 'python3', '-c', bind }).code ~= 0 then return pending 'python3 is missing' end
    local look = { 'stat', '-c', '%F', '/run/own/s' }
    assert.are.equal('socket\n', rig.run(look).out)
    assert.are.equal('socket\n', rig.confined({ argv = look }).out)
    local inside = rig.confined { argv = look, flags = { '-p', 'strict' } }
    assert.are_not.equal('socket\n', inside.out)
    process.run { argv = { 'umount', '/run/own' } }
    rig.remove '/run/own'
  end)
end)
