-- Measures socket discovery over 1,000 to 100,000 sockets, by netlink and from /proc/net/unix text,
-- and the search for owners among 2,000 processes. Prints `label|base|measured` lines.
local core = require 'confine.core'
local socket = require 'posix.sys.socket'
local time = require 'posix.time'
local unistd = require 'posix.unistd'
local wait = require 'posix.sys.wait'
local signal = require 'posix.signal'
local resource = require 'posix.sys.resource'

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

resource.setrlimit(resource.RLIMIT_NOFILE, { rlim_cur = 250000, rlim_max = 250000 })
local open, first = {}, nil
for _, count in ipairs { 1000, 10000, 100000 } do
  while #open < count do
    local fd, why = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0)
    if not fd then break end
    local bound = socket.bind(fd, { family = socket.AF_UNIX,
      path = '\0confine-bench-' .. #open .. '-' .. unistd.getpid() })
    if not bound or not socket.listen(fd, 1) then error(why) end
    open[#open + 1] = fd
  end
  if #open < count then
    print(('%d listening sockets: not to be had, the limit on descriptors is %d||')
      :format(count, #open))
    break
  end
  local netlink = best(function() core.sockets.list { listening = true, source = 'netlink' } end)
  local proc = best(function() core.sockets.list { listening = true, source = 'proc' } end)
  first = first or netlink
  print(('discovery of %d listening sockets: /proc/net/unix, netlink|%.1f ms|%.1f ms')
    :format(count, proc, netlink))
end

local children = {}
for _ = 1, 2000 do
  local pid = unistd.fork()
  if pid == 0 then
    signal.kill(unistd.getpid(), signal.SIGSTOP)
    unistd._exit(0)
  end
  children[#children + 1] = pid
end
local inodes = {}
for i, item in ipairs(core.sockets.list { listening = true }) do
  if i > 100 then break end
  inodes[i] = item.inode
end
local owners = best(function()
  core.sockets.owners(inodes, { comms = { 'dockerd', 'ssh-agent' } })
end)
print(('owners among 2,000 processes more, by comm first||%.1f ms'):format(owners))
for _, pid in ipairs(children) do
  signal.kill(pid, signal.SIGKILL)
  wait.wait(pid)
end
