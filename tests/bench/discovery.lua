-- Measures socket discovery over 1,000 to 100,000 sockets, by netlink and from /proc/net/unix text,
-- and the search for daemons among 2,000 processes. Prints `label|base|measured` lines.
local core = require 'confine.core'
local signal = require 'posix.signal'
local socket = require 'posix.sys.socket'
local time = require 'posix.time'
local unistd = require 'posix.unistd'
local wait = require 'posix.sys.wait'

--- Sockets that one process may hold, by the usual limit on descriptors.
local EACH = 900

local children = {}

local function now()
  local t = time.clock_gettime(time.CLOCK_MONOTONIC)
  return t.tv_sec * 1000 + t.tv_nsec / 1e6
end

--- The best of five runs, in milliseconds.
local function best(action)
  local least = math.huge
  for _ = 1, 5 do
    local start = now()
    action()
    least = math.min(least, now() - start)
  end
  return least
end

--- Starts a process that holds so many listening sockets and sleeps; back once they are there.
local function hold(count)
  local read, write = unistd.pipe()
  local pid = assert(unistd.fork())
  if pid == 0 then
    unistd.close(read)
    for i = 1, count do
      local fd = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0)
      if not fd or not socket.bind(fd, { family = socket.AF_UNIX,
        path = ('\0confine-bench-%d-%d'):format(unistd.getpid(), i) })
        or not socket.listen(fd, 1) then
        unistd._exit(1)
      end
    end
    unistd.write(write, 'x')
    unistd.close(write)
    unistd.sleep(600)
    unistd._exit(0)
  end
  children[#children + 1] = pid
  unistd.close(write)
  local ready = unistd.read(read, 1)
  unistd.close(read)
  return ready == 'x'
end

local function measure()
  local held = 0
  for _, count in ipairs { 1000, 10000, 100000 } do
    while held < count do
      local more = math.min(EACH, count - held)
      if not hold(more) then error(('no more than %d sockets are to be had'):format(held)) end
      held = held + more
    end
    local proc = best(function() core.sockets.list { listening = true, source = 'proc' } end)
    local netlink = best(function() core.sockets.list { listening = true, source = 'netlink' } end)
    print(('discovery of %d listening sockets: /proc/net/unix, netlink|%.1f ms|%.1f ms')
      :format(count, proc, netlink))
  end
end

--- The names that the records call owners.
local function owners()
  local out, env = {}, { record = function(value) return value end }
  for _, name in ipairs(core.store.list 'policies/authorities/') do
    local record = load(core.store.read(name), '=' .. name, 't', env)()
    for _, owner in ipairs(record.owners or {}) do out[#out + 1] = owner end
  end
  return out
end

local function measure_daemons()
  local names = owners()
  local function search() core.sockets.holders(names) end
  local alone = best(search)
  for _ = 1, 2000 do hold(0) end
  print(('daemons by name: on this host, among 2,000 processes more|%.1f ms|%.1f ms')
    :format(alone, best(search)))
end

local ok, complaint = pcall(function()
  measure_daemons()
  measure()
end)
for _, pid in ipairs(children) do
  signal.kill(pid, signal.SIGKILL)
  wait.wait(pid)
end
if not ok then print(('discovery: not measured: %s||'):format(complaint)) end
