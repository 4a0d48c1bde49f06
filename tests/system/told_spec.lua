--- What a run tells of itself: reports stay what was written to them, and what may be reachable is
--- said at the start and in the bounds.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local socket = require 'posix.sys.socket'
local unistd = require 'posix.unistd'

local me = rig.me

describe('a report in the tree, as ' .. me.as .. ':', function()
  before_each(function() rig.fresh_work() end)

  local FORGE = [[echo '{"weaker":[]}' > forged; ]]
  for _, flag in ipairs { '--bounds', '--audit' } do
    for name, line in pairs { ['another file'] = FORGE .. 'mv forged report.json',
      ['a link'] = FORGE .. 'rm report.json; ln -s forged report.json',
      ['nothing'] = 'rm report.json' } do
      it(('is lost, and so is the run, where the command puts %s there: %s'):format(name, flag),
        function()
          local run = rig.confined { argv = { 'sh', '-c', line }, flags = { flag, 'report.json' } }
          assert.are.equal(125, run.code)
          assert.is_truthy(run.err:find('report.json was replaced', 1, true), run.err)
        end)
    end

    it('is whole though the command wrote to it: ' .. flag, function()
      local run = rig.confined { argv = { 'sh', '-c', 'head -c 200000 /dev/zero > report.json' },
        flags = { flag, 'report.json' } }
      assert.are.same({ 0, '' }, { run.code, run.err })
      local text = process.slurp(rig.work .. '/report.json')
      assert.is_truthy(text:find '^{.*"version": 1.*}\n$' and not text:find '%z')
    end)
  end
end)

describe('a run tells, as ' .. me.as .. ':', function()
  before_each(function() rig.fresh_work() end)
  after_each(function() rig.stop_all() end)

  local function bounds_of(flags, env)
    local at = me.home .. '/bounds.json'
    rig.remove(at)
    local run = rig.confined { says = true, argv = { 'true' }, env = env,
      flags = { '--bounds', at, table.unpack(flags) } }
    assert.are.equal(0, run.code, run.err)
    return process.slurp(at), run.err
  end

  it('of a daemon that listens by a name that is not found', function()
    local folder = place.folder('/srv/elsewhere', me)
    local agent = process.start { argv = place.argv_as(me, { 'sh', '-c',
      'cd ' .. folder .. ' && exec ssh-agent -D -a lost' }) }
    assert.is_true(process.poll(5, function() return place.exists(folder .. '/lost') end))
    local text, said = bounds_of {}
    process.stop(agent)
    -- Root sees the folder of every process, and so refuses it.
    local is_lost = me.as ~= 'root'
    assert.are.equal(is_lost, text:find('"name": "further_names",%s+"path": "lost"') ~= nil, text)
    assert.are.equal(is_lost,
      said:find('lost: ssh%-agent %(pid %d+%) listens by this name') ~= nil, said)
  end)

  it('of a refused authority that it lives here only while somebody listens', function()
    local folder = place.folder(('/tmp/tmux-%d'):format(me.uid), me, 448)
    local fd = assert(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0))
    assert(socket.bind(fd, { family = socket.AF_UNIX, path = folder .. '/gone' }))
    local said = {}
    for _, step in ipairs { function() socket.listen(fd, 1) end, function() unistd.close(fd) end,
      function() rig.remove(folder) end } do
      step()
      local _, text = bounds_of {}
      said[#said + 1] = text:match 'confine%-lua: (.-); writable'
    end
    assert.are.same({ 'refused and live here: tmux', 'no refused authority is live here; '
      .. 'refused, and no listener seen: tmux', 'no refused authority is live here' }, said)
  end)

  it('of a variable that names an authority and cannot be read', function()
    local text, said = bounds_of({}, { SSH_AUTH_SOCK = '/srv/a\tb' })
    assert.is_truthy(text:find('"name": "unread_endpoint"', 1, true), text)
    assert.is_truthy(said:find('SSH_AUTH_SOCK cannot be read: holds control', 1, true), said)
  end)

  it("of what userns 'granted' is weaker in", function()
    assert.is_nil((bounds_of {}):find('later_mounts', 1, true))
    local policy = rig.policy('granted', "include 'default'\nuserns 'granted'\n")
    assert.is_truthy((bounds_of { '-p', policy }):find('later_mounts', 1, true))
    assert.is_truthy((bounds_of { '-p', policy }):find('control_groups', 1, true))
  end)

  it("how a run within a run can be had, with userns 'granted'", function()
    local policy = rig.policy('granted', "include 'default'\nuserns 'granted'\n")
    local argv = { rig.program, 'run', '--quiet', '--', 'echo', 'within' }
    local run = rig.confined { flags = { '-p', policy }, argv = argv }
    assert.are.equal(125, run.code)
    assert.is_truthy(me.as == 'root' or run.err:find('XDG_STATE_HOME', 1, true), run.err)
    run = rig.confined { flags = { '-p', policy },
      argv = { 'env', 'XDG_STATE_HOME=/tmp/state', table.unpack(argv) } }
    if me.as == 'root' then
      -- Without a capability nobody can map root's id into a namespace of his own.
      assert.are.equal(125, run.code)
    else
      assert.are.same({ 0, 'within\n', '' }, { run.code, run.out, run.err })
    end
  end)
end)
