-- Prints the memory of the launcher while it runs a command, and its peak.
local core = require 'confine.core'
local unistd = require 'posix.unistd'
local signal = require 'posix.signal'
local wait = require 'posix.sys.wait'
local time = require 'posix.time'

local pid = unistd.fork()
if pid == 0 then
  unistd.execp(arg[1], { [0] = arg[1], 'run', '--quiet', '--', 'sleep', '5' })
  unistd._exit(127)
end
time.nanosleep { tv_sec = 1, tv_nsec = 0 }
local handle = assert(io.open('/proc/' .. pid .. '/status'))
local status = handle:read 'a'
local now, peak = status:match 'VmRSS:%s*(%d+)', status:match 'VmHWM:%s*(%d+)'
handle:close()
assert(core.procfs.status(pid))
signal.kill(pid, signal.SIGTERM)
wait.wait(pid)
print(('%.1f MiB, at its peak %.1f MiB'):format(tonumber(now) / 1024, tonumber(peak) / 1024))
