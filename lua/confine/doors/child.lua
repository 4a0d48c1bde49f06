-- Child processes: started, fed, waited for. Needs luaposix.

local fcntl = require 'posix.fcntl'
local signal = require 'posix.signal'
local stdlib = require 'posix.stdlib'
local time = require 'posix.time'
local unistd = require 'posix.unistd'
local wait = require 'posix.sys.wait'

local M = {}

--- Ends of pipes that are this process's alone: a child that held one would keep it from ending.
local private = {}

--- The monotonic clock, in seconds.
function M.now()
  local at = time.clock_gettime(time.CLOCK_MONOTONIC)
  return at.tv_sec + at.tv_nsec / 1e9
end

--- Sleeps for some milliseconds (1 to 999).
function M.pause(milliseconds)
  time.nanosleep { tv_sec = 0, tv_nsec = milliseconds * 1000000 }
end

--- Asks `ready` again and again until it answers or `seconds` have passed.
-- @return what `ready` answered, or nil
function M.poll(seconds, ready)
  local deadline = M.now() + seconds
  repeat
    local answer = ready()
    if answer then return answer end
    M.pause(2)
  until M.now() > deadline
end

--- A pipe whose ends no program that is executed inherits.
-- @return read end, write end; raises where there are no descriptors left
function M.pipe()
  local ends = { assert(unistd.pipe()) }
  for i = 1, 2 do assert(fcntl.fcntl(ends[i], fcntl.F_SETFD, fcntl.FD_CLOEXEC)) end
  return ends[1], ends[2]
end

--- Marks a descriptor as one that forked children must not hold.
function M.keep_private(fd)
  private[fd] = true
  return fd
end

--- Closes a descriptor, which may be a private one.
function M.close(fd)
  private[fd] = nil
  unistd.close(fd)
end

--- Puts descriptors at the numbers wanted: fds[n] = descriptor, -1 for /dev/null.
local function place(fds)
  local parked, names = {}, {}
  for name in pairs(fds) do names[#names + 1] = name end
  table.sort(names)
  -- First out of the way, above every number that is wanted.
  local lowest = names[#names] and names[#names] + 1 or 3
  for _, name in ipairs(names) do
    local fd = fds[name] == -1 and assert(fcntl.open('/dev/null', fcntl.O_RDWR)) or fds[name]
    parked[name] = assert(fcntl.fcntl(fd, fcntl.F_DUPFD, math.max(lowest, 10)))
    if fds[name] == -1 then unistd.close(fd) end
  end
  for _, name in ipairs(names) do
    assert(unistd.dup2(parked[name], name))
    unistd.close(parked[name])
  end
end

local function set_environment(env)
  for name, value in pairs(env or {}) do stdlib.setenv(name, value or nil) end
end

--- Forks a child that runs a function and exits with what it returns (a raised error: 70).
-- @param options { fds = map number -> descriptor (-1 for /dev/null), env = map of variables to set
--   (false: to unset), cwd = folder, session = boolean: a session of its own }
-- @return child { pid }
function M.fork(body, options)
  options = options or {}
  io.stdout:flush()
  io.stderr:flush()
  local pid = assert(unistd.fork())
  if pid ~= 0 then return { pid = pid } end
  local ok, result = pcall(function()
    for fd in pairs(private) do unistd.close(fd) end
    if options.session then unistd.setpid 's' end
    place(options.fds or {})
    set_environment(options.env)
    if options.cwd then assert(unistd.chdir(options.cwd)) end
    return body()
  end)
  if not ok then io.stderr:write(tostring(result), '\n') end
  io.stdout:flush()
  unistd._exit(ok and result or 70)
end

-- Makes room for so many more values on Lua's stack. luaposix's execp (36.3) puts every word there
-- and asks for none: beyond some 40 it would write over what lies behind the stack.
local function make_room(count)
  -- Collecting takes the room back.
  collectgarbage 'stop'
  select('#', table.unpack({}, 1, count))
end

--- Executes a program in this process; returns only where it cannot be.
function M.become(argv)
  local words = table.move(argv, 2, #argv, 1, { [0] = argv[1] })
  make_room(#argv + 40)
  unistd.execp(argv[1], words)
  return 127
end

--- Starts a program; options as for M.fork.
function M.start(argv, options)
  return M.fork(function() return M.become(argv) end, options)
end

--- Has it ended? Reaps it then, and remembers how.
-- @return nil, or its exit status (128 + n for signal n)
function M.ended(child)
  if child.status then return child.status end
  local pid, how, code = wait.wait(child.pid, wait.WNOHANG)
  if pid == child.pid and how ~= 'running' then
    child.status = how == 'exited' and code or 128 + code
  elseif not pid then
    child.status = 70
  end
  return child.status
end

--- Waits for a child; one that is not over in time is killed.
-- @return its exit status, or nil when it was killed for the time
function M.finish(child, seconds)
  local status = M.poll(seconds, function() return M.ended(child) end)
  if status then return status end
  M.kill(child)
  M.poll(2, function() return M.ended(child) end)
  return nil
end

--- Kills a child at once.
function M.kill(child)
  if not child.status then signal.kill(child.pid, signal.SIGKILL) end
end

--- Reads what is left in a file from its start, and closes it.
local function slurp(file)
  file:seek 'set'
  local text = file:read 'a'
  file:close()
  return text
end

--- Starts a program whose output is kept.
-- @param options as for M.fork; its standard input is /dev/null unless fds names one
-- @return child for M.complete
function M.begin(argv, options)
  local full = { fds = {} }
  for key, value in pairs(options or {}) do full[key] = value end
  local out, err = assert(io.tmpfile()), assert(io.tmpfile())
  local stdio = require 'posix.stdio'
  full.fds = { [0] = -1, [1] = stdio.fileno(out), [2] = stdio.fileno(err) }
  for number, fd in pairs(options and options.fds or {}) do full.fds[number] = fd end
  local child = M.start(argv, full)
  child.out, child.err = out, err
  return child
end

--- Waits for what M.begin started.
-- @return { code = exit status, or nil when it was killed for the time; out, err }
function M.complete(child, seconds)
  local code = M.finish(child, seconds)
  return { code = code, out = slurp(child.out), err = slurp(child.err) }
end

--- Runs a program to its end.
-- @param options as for M.begin, and seconds (default 30)
-- @return as M.complete
function M.run(argv, options)
  return M.complete(M.begin(argv, options), options and options.seconds or 30)
end

return M
