--- Tries the same thing over and over, for the moment in which it is not refused. Run as
--- `lua5.4 tests/rig/insist.lua connect|open PATH END`: until a file END is there; prints how often
--- it tried and how often it got through.
package.path = './build/luaposix/share/?.lua;' .. package.path
package.cpath = './build/luaposix/lib/?.so;' .. package.cpath

local socket = require 'posix.sys.socket'
local unistd = require 'posix.unistd'

local WAYS = {
  connect = function(path)
    local fd = assert(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0))
    local got = socket.connect(fd, { family = socket.AF_UNIX, path = path })
    unistd.close(fd)
    return got
  end,
  open = function(path)
    local file = io.open(path)
    if file then file:close() end
    return file
  end,
}

local way, path, finish = WAYS[arg[1]], arg[2], arg[3]
local tries, reached = 0, 0
while tries % 64 ~= 0 or unistd.access(finish) == nil do
  tries = tries + 1
  if way(path) then reached = reached + 1 end
end
print(tries, reached)
