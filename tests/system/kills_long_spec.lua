--- Runs ended by SIGKILL at random moments, some beside a second run in the same tree: when all
--- have ended there is no process of theirs, no mount and no file. RIG_AS says as whom.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local dirent = require 'posix.dirent'
local signal = require 'posix.signal'
local time = require 'posix.time'

local me = rig.me
local ROUNDS = 200
local SEED = tonumber(os.getenv 'CONFINE_SEED') or os.time()

local function pause(seconds)
  time.nanosleep { tv_sec = math.floor(seconds), tv_nsec = math.floor(seconds % 1 * 1e9) }
end

--- Processes of this place that belong to a run: map pid -> comm.
local function processes()
  local found = {}
  for _, name in ipairs(dirent.dir '/proc') do
    local status = name:find '^%d+$' and process.slurp('/proc/' .. name .. '/status') or ''
    local comm, state = status:match 'Name:%s*(%S+)', status:match 'State:%s*(%S)'
    local is_ours = comm == 'confine-lua' or comm == 'confine-keeper' or comm == 'bwrap'
      or comm == 'sleep'
    if is_ours and state ~= 'Z' then found[tonumber(name)] = comm end
  end
  return found
end

local before_us = processes()

--- What is left of runs: processes, mounts and names in the work tree.
local function left_over()
  local left = {}
  for pid, comm in pairs(processes()) do
    if not before_us[pid] then left[#left + 1] = ('process %d %s'):format(pid, comm) end
  end
  for _, name in ipairs(dirent.dir(rig.work)) do
    if name ~= '.' and name ~= '..' and name ~= 'mine' then left[#left + 1] = 'file ' .. name end
  end
  local records = me.home .. '/.local/state/confine-lua/placeholders'
  for _, name in ipairs(place.exists(records) and dirent.dir(records) or {}) do
    if name ~= '.' and name ~= '..' and name ~= 'lock' then left[#left + 1] = 'record ' .. name end
  end
  table.sort(left)
  return table.concat(left, '\n')
end

local function mounts()
  return process.slurp '/proc/self/mountinfo'
end

--- Nothing is left within some seconds; else what it is.
local function settles()
  local left
  process.poll(15, function()
    left = left_over()
    return left == ''
  end)
  return left
end

local function start()
  return process.start(rig.confined_command { argv = { 'sleep', '600' } })
end

describe(('runs killed at random, as %s:'):format(me.as), function()
  setup(function()
    io.stderr:write(('kills_long_spec: CONFINE_SEED=%d\n'):format(SEED))
    math.randomseed(SEED)
    rig.fresh_work()
    place.file(rig.work .. '/mine', 'x', me)
  end)

  it(('%d of them leave no process, no mount, no file'):format(ROUNDS), function()
    local at_first = mounts()
    for round = 1, ROUNDS do
      local run = start()
      local second = round % 4 == 0 and start()
      pause(math.random() * 0.15)
      signal.kill(run.pid, signal.SIGKILL)
      if second then
        pause(math.random() * 0.05)
        signal.kill(second.pid, signal.SIGKILL)
        process.stop(second)
      end
      process.stop(run)
      if round % 20 == 0 then
        assert.are.same({ round, '' }, { round, settles() })
      end
    end
    assert.are.equal('', settles())
    assert.are.equal(at_first, mounts())
    assert.is_true(place.exists(rig.work .. '/mine'))
  end)

  it('with the keeper killed too, the next run sweeps', function()
    local run = start()
    assert.is_true(process.poll(10, function() return place.exists(rig.work .. '/.claude') end))
    for pid, comm in pairs(processes()) do
      if comm == 'confine-keeper' and not before_us[pid] then signal.kill(pid, signal.SIGKILL) end
    end
    signal.kill(run.pid, signal.SIGKILL)
    process.stop(run)
    process.poll(10, function() return next(processes()) == nil end)
    assert.is_true(place.exists(rig.work .. '/.claude'))
    local next_run = rig.confined { argv = { 'true' } }
    assert.are.same({ 0, '' }, { next_run.code, next_run.out })
    assert.are.equal('', settles())
  end)
end)
