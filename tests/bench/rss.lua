-- Prints the peak memory of the launcher while it runs a command.
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
local peak = handle:read('a'):match 'VmHWM:%s*(%d+)'
handle:close()
assert(core.procfs.status(pid))
signal.kill(pid, signal.SIGTERM)
wait.wait(pid)
print(('%.1f MiB'):format(tonumber(peak) / 1024))
