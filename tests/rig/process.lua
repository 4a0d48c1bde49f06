--- Starts programs for the rig, each in a session of its own, and waits for them with a deadline.
local fcntl = require 'posix.fcntl'
local signal = require 'posix.signal'
local stdlib = require 'posix.stdlib'
local time = require 'posix.time'
local unistd = require 'posix.unistd'
local wait = require 'posix.sys.wait'

local M = {}

local LOGS = '/srv/log'
local serial = 0

--- The monotonic clock, in seconds.
function M.now()
  local at = time.clock_gettime(time.CLOCK_MONOTONIC)
  return at.tv_sec + at.tv_nsec / 1e9
end

--- Asks `ready` again and again until it answers or `seconds` have passed.
-- @return what `ready` answered, or nil when the time was over
function M.poll(seconds, ready)
  local deadline, pause = M.now() + seconds, 1000000
  repeat
    local answer = ready()
    if answer then return answer end
    time.nanosleep { tv_sec = 0, tv_nsec = pause }
    pause = math.min(pause * 2, 50000000)
  until M.now() > deadline
  return nil
end

--- The whole of a file, or nil with a message.
function M.slurp(path)
  local file, problem = io.open(path, 'rb')
  if not file then return nil, problem end
  local text = file:read 'a'
  file:close()
  return text
end

local function redirect(fd, path, flags)
  local opened = assert(fcntl.open(path, flags, 384))
  if opened ~= fd then
    unistd.dup2(opened, fd)
    unistd.close(opened)
  end
end

-- The environment is set in the child, so that no value of it ever stands in an argv.
local function replace_environment(env)
  for name in pairs(stdlib.getenv()) do stdlib.setenv(name, nil) end
  for name, value in pairs(env) do stdlib.setenv(name, value) end
end

local function become(command, out)
  unistd.setpid 's'
  redirect(0, command.stdin or '/dev/null', fcntl.O_RDONLY)
  redirect(1, out, fcntl.O_WRONLY | fcntl.O_CREAT)
  redirect(2, command.merge and out or out .. '.err',
    fcntl.O_WRONLY | fcntl.O_CREAT | fcntl.O_APPEND)
  if command.cwd then assert(unistd.chdir(command.cwd)) end
  if command.env then replace_environment(command.env) end
  local argv = table.move(command.argv, 2, #command.argv, 1, { [0] = command.argv[1] })
  -- execp puts every word on Lua's stack without room for it; see confine/doors/child.lua.
  collectgarbage 'stop'
  select('#', table.unpack({}, 1, #argv + 40))
  local _, problem = unistd.execp(command.argv[1], argv)
  error(problem)
end

--- Starts a program.
-- @param command table: argv (list of strings); env (table of name to value, the whole
--   environment; the rig's own when absent); cwd; stdin (a path, default /dev/null);
--   merge (boolean, one file for both outputs)
-- @return a process: { pid, out = path of its output, err = path of its errors, argv }
function M.start(command)
  serial = serial + 1
  local out = ('%s/%d.%d'):format(LOGS, unistd.getpid(), serial)
  io.stdout:flush()
  local pid = assert(unistd.fork())
  if pid == 0 then
    local _, problem = pcall(become, command, out)
    io.stderr:write(tostring(problem), '\n')
    unistd._exit(127)
  end
  return { pid = pid, out = out, err = command.merge and out or out .. '.err', argv = command.argv }
end

-- Looks once whether the process has ended, and remembers how.
local function ended(process)
  if process.ended then return process.ended end
  local pid, how, code = wait.wait(process.pid, wait.WNOHANG)
  if pid == process.pid and how ~= 'running' then
    process.ended = { how = how, code = code }
  elseif not pid then
    process.ended = { how = 'lost', code = -1 }
  end
  return process.ended
end

--- Tells whether the process still runs.
function M.is_running(process)
  return not ended(process)
end

--- Ends a process and all of its session's process group: SIGTERM, then SIGKILL.
function M.stop(process)
  signal.killpg(process.pid, signal.SIGTERM)
  M.poll(3, function() return ended(process) end)
  -- What the process started may outlive it in its group.
  M.poll(3, function()
    local is_left = signal.killpg(process.pid, signal.SIGKILL)
    return ended(process) and not is_left
  end)
end

--- Waits for a process until its deadline; then it is ended.
-- @param seconds how long to wait (default 30)
-- @return { code = exit status, or 128 + n for signal n; timed_out = true when the deadline
--   passed; out, err = what it printed }
function M.finish(process, seconds)
  local over = M.poll(seconds or 30, function() return ended(process) end)
  if not over then M.stop(process) end
  local how = ended(process) or { how = 'lost', code = -1 }
  local result = {
    code = how.how == 'exited' and how.code or 128 + how.code,
    timed_out = not over or nil,
    out = M.slurp(process.out) or '',
    err = M.slurp(process.err) or '',
  }
  os.remove(process.out)
  os.remove(process.err)
  return result
end

--- Runs a program to its end; see start and finish.
-- @param command as for start, and timeout in seconds
function M.run(command)
  return M.finish(M.start(command), command.timeout)
end

return M
