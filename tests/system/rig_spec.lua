--- The rig itself: every daemon starts, answers its own protocol and ends without a trace, and the
--- stand-ins for poorer hosts do what they say.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local process = require 'tests.rig.process'

local LONG = { containerd = true, dockerd = true }

local function daemons()
  local names = {}
  for name in process.run({ argv = { 'ls', 'tests/rig/daemons' } }).out:gmatch '([%w_]+)%.lua' do
    if name ~= 'listener' then names[#names + 1] = name end
  end
  return names
end

describe('the rig, as ' .. rig.me.as .. ':', function()
  setup(function() rig.fresh_work() end)
  teardown(rig.stop_all)

  for _, name in ipairs(daemons()) do
    it(name .. ' starts, answers and ends' .. (LONG[name] and ' #long' or ''), function()
      local lacks = rig.lacks(name)
      if lacks then
        pending(lacks)
        return
      end
      local daemon = rig.start(name)
      rig.stop(daemon)
      for _, attempt in ipairs(daemon.ready) do
        assert.are.equal('refused', rig.outside(attempt, { as = daemon.client }).result)
      end
    end)
  end

  it('a listener of each type answers', function()
    for kind, attempt in pairs { stream = 'http', seqpacket = 'connect-seqpacket',
      datagram = 'send-pair' } do
      local path = rig.me.home .. '/listener-' .. kind
      rig.start('listener', { path = path, type = kind })
      assert.are.equal('reached', rig.outside({ attempt, path }).result)
    end
  end)

  it('the attempts of confine-probe are named once, with a class and a sentence', function()
    local listed = rig.run { rig.probe, 'list' }
    assert.are.equal(0, listed.code)
    local seen = {}
    for line in listed.out:gmatch '[^\n]+' do
      local name, class, sentence = line:match '^([%w-]+)\t[^\t]*\t([%l ]+)\t(%S[^\t]+)$'
      assert.is_true(name ~= nil and not seen[name] and #class > 3 and #sentence > 10, line)
      seen[name] = true
    end
  end)
end)
