--- The rig: starts real daemons in the private place that tests/rig/enter makes, makes attempts
--- outside, and runs commands confined.
-- Debian 13 has luaposix in Lua's own folders; for Debian 12 the build fetched it.
package.path = './build/luaposix/share/?.lua;' .. package.path
package.cpath = './build/luaposix/lib/?.so;' .. package.cpath

local process = require 'tests.rig.process'
local place = require 'tests.rig.place'
local stat = require 'posix.sys.stat'
local unistd = require 'posix.unistd'

local M = {}

local running, count = {}, 0

--- Where the checkout and its programs lie in the private place.
M.tree = '/srv/tree'
M.program = M.tree .. '/build/confine-lua'
M.probe = M.tree .. '/build/confine-probe'
M.masked_proc = M.tree .. '/tests/rig/masked_proc'
M.without = M.tree .. '/build/rig/without'

--- The account that everything runs as unless told otherwise: RIG_AS is user (default) or root.
M.me = place.of(os.getenv 'RIG_AS' or 'user')

--- Where the account's commands work: the writable root of `confined`.
M.work = M.me.home .. '/work'

local function join(...)
  local all = {}
  for _, list in ipairs { ... } do table.move(list, 1, #list, #all + 1, all) end
  return all
end

local function program_path(name)
  if name:find('/', 1, true) then return place.exists(name) and name end
  for folder in (place.environment(M.me).PATH):gmatch '[^:]+' do
    if place.exists(folder .. '/' .. name) then return folder .. '/' .. name end
  end
end

--- Names what a daemon lacks on this machine.
-- @return nil when it can be started, else a sentence for `pending`
function M.lacks(name)
  local record = require('tests.rig.daemons.' .. name)
  for _, program in ipairs(record.programs) do
    if not program_path(program) then
      return ('%s is not installed (package %s)'):format(program,
        table.concat(record.packages, ', '))
    end
  end
end

--- Makes an attempt outside, as the account or `options.as`.
-- @param attempt list: the attempt's name and its arguments
-- @param options { as = account, env = table, cwd, stdin, wrap_as = list put before the command }
-- @return { result = 'reached' | 'refused' | 'unavailable', errno, detail }
function M.outside(attempt, options)
  options = options or {}
  local account = options.as or M.me
  local argv = join(options.wrap_as or {}, { M.probe, 'try' }, attempt)
  return M.finding(process.run {
    argv = place.argv_as(account, argv),
    env = place.environment(account, options.env),
    cwd = options.cwd or '/', stdin = options.stdin,
  })
end

--- Reads what confine-probe printed.
-- @param outcome what process.run gave
function M.finding(outcome)
  local result, errno, detail =
    outcome.out:match '"result":"(%a+)","errno":"(%w*)","detail":"(.*)"}\r?\n'
  if not result then
    return { result = 'none', errno = '', detail = ('exit %d: %s%s'):format(outcome.code,
      outcome.out, outcome.err) }
  end
  return { result = result, errno = errno, detail = detail }
end

-- Runs each command that must be over before the daemon starts.
local function prepare(plan, account)
  for _, folder in ipairs(plan.folders or {}) do
    place.folder(folder[1], account, folder[2])
  end
  for _, argv in ipairs(plan.before or {}) do
    local outcome = process.run {
      argv = place.argv_as(account, argv), env = place.environment(account, plan.env), cwd = '/',
      timeout = 60,
    }
    assert(outcome.code == 0, table.concat(argv, ' ') .. ': ' .. outcome.err)
  end
end

-- A name that holds the daemon's process number has {pid} in its place.
local function with_pid(names, pid)
  local filled = {}
  for i, name in ipairs(names) do
    filled[i] = type(name) == 'table' and with_pid(name, pid)
      or name:gsub('{pid}', tostring(math.tointeger(pid)))
  end
  return filled
end

-- Every attempt of `ready` must be answered in its protocol.
local function answers(daemon)
  local finding
  for _, attempt in ipairs(daemon.ready) do
    finding = M.outside(attempt, { as = daemon.client })
    if finding.result ~= 'reached' then return false, finding end
  end
  return true
end

local function wait_until_ready(daemon, seconds)
  local last
  local ready = process.poll(seconds, function()
    local yes, finding = answers(daemon)
    last = finding
    return yes or (not process.is_running(daemon.process) and 'dead')
  end)
  if ready == true then return end
  local log = process.slurp(daemon.process.out) or ''
  M.stop(daemon)
  error(('%s did not answer (%s, %s): %s'):format(daemon.name, ready or 'no answer in time',
    last and last.detail or '', log:sub(-1500)), 0)
end

--- Starts a daemon of tests/rig/daemons and waits until it answers in its own protocol.
-- @param name the file's name without .lua
-- @param options what the record's `start` takes, such as path, and account ('root' or 'user')
--   for one other than the record's; all optional
-- @return { name, sockets = list of paths and @names, ready = list of attempts that reach it,
--   exports = the variables a session would have, process }; an error when it does not answer
function M.start(name, options)
  local record = require('tests.rig.daemons.' .. name)
  options = options or {}
  local as = options.account or record.account
  local account = as and place.of(as) or M.me
  local plan = record.start(account, options)
  prepare(plan, account)
  local started = process.start {
    argv = place.argv_as(account, plan.argv), env = place.environment(account, plan.env),
    cwd = '/', merge = true,
  }
  local daemon = {
    name = name, process = started, exports = plan.exports or {},
    sockets = with_pid(plan.sockets, started.pid), ready = with_pid(plan.ready, started.pid),
    client = (options.account or plan.client) and place.of(options.account or plan.client),
  }
  running[daemon] = true
  wait_until_ready(daemon, plan.patience or 15)
  return daemon
end

--- Lets the account's group connect to a socket that somebody else owns.
function M.share(path)
  assert(unistd.chown(path, -1, M.me.gid))
  assert(stat.chmod(path, 432))
end

--- Ends a daemon and everything in its process group.
function M.stop(daemon)
  running[daemon] = nil
  process.stop(daemon.process)
end

--- Ends every daemon that still runs; for `teardown`.
function M.stop_all()
  for daemon in pairs(running) do M.stop(daemon) end
end

--- Runs a command confined, as the account, and waits for it.
-- @param run table: argv; flags (list, before the --); env (added to a login's, false removes);
--   cwd (default the work tree); stdin (path); timeout in seconds; as (account); says = true
--   (without --quiet); wrap (list of words put before everything, run as root, such as
--   tests/rig/masked_proc); wrap_as (the same, run as the account)
-- @return see process.finish
function M.confined(run)
  return process.run(M.confined_command(run))
end

--- The command that `confined` runs, for process.start.
function M.confined_command(run)
  local account = run.as or M.me
  local argv = join(run.wrap_as or {}, { M.program, 'run' }, run.says and {} or { '--quiet' },
    run.flags or {}, { '--' }, run.argv)
  return {
    argv = join(run.wrap or {}, place.argv_as(account, argv)),
    env = place.environment(account, run.env), cwd = run.cwd or M.work,
    stdin = run.stdin, timeout = run.timeout,
  }
end

--- Makes an attempt inside; see outside and confined.
function M.inside(attempt, run)
  local full = {}
  for name, value in pairs(run or {}) do full[name] = value end
  full.argv = join({ M.probe, 'try' }, attempt)
  return M.finding(M.confined(full))
end

--- Runs a command outside as the account; see process.run.
function M.run(argv, options)
  options = options or {}
  local account = options.as or M.me
  return process.run {
    argv = place.argv_as(account, argv), env = place.environment(account, options.env),
    cwd = options.cwd or M.work, stdin = options.stdin, timeout = options.timeout,
  }
end

--- Removes what is at a path, whole.
function M.remove(path)
  assert(process.run({ argv = { 'rm', '-rf', '--', path } }).code == 0)
end

--- Makes a symbolic link of the account's.
function M.symlink(target, path)
  M.remove(path)
  assert(unistd.link(target, path, true))
  unistd.lchown(path, M.me.uid, M.me.gid)
end

--- Writes a policy file of the account's and returns its path; trusted with -p.
function M.policy(name, text)
  place.folder(M.me.home .. '/policies', M.me)
  return place.file(('%s/policies/%s.lua'):format(M.me.home, name), text, M.me)
end

--- Writes a file of the site's folder /etc/confine-lua, as root, and returns its path.
function M.site(name, text)
  local path = '/etc/confine-lua/' .. name
  place.folder(path:match '^(.*)/')
  return place.file(path, text)
end

--- A number that no earlier call gave.
function M.serial()
  count = count + 1
  return ('%d-%d'):format(unistd.getpid(), count)
end

--- An empty work tree for the account, made anew.
function M.fresh_work()
  M.remove(M.work)
  return place.folder(M.work, M.me)
end

assert(os.getenv 'CONFINE_RIG' == '/srv', 'the rig runs only inside tests/rig/enter')

return M
