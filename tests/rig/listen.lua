--- A stand-in for a daemon that cannot be started here, or for one that nobody lists: listens at a
--- name and answers each connection as an engine answers /_ping. Run as
--- `lua5.4 tests/rig/listen.lua stream|seqpacket|datagram PATH`.
package.path = './build/luaposix/share/?.lua;' .. package.path
package.cpath = './build/luaposix/lib/?.so;' .. package.cpath

local signal = require 'posix.signal'
local socket = require 'posix.sys.socket'
local unistd = require 'posix.unistd'

local TYPES = {
  stream = socket.SOCK_STREAM,
  seqpacket = 5, -- SOCK_SEQPACKET, which luaposix does not name
  datagram = socket.SOCK_DGRAM,
}
local ANSWER = 'HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nOK'

local kind, path = arg[1], arg[2]
-- A peer that connects and leaves must not end the daemon.
signal.signal(signal.SIGPIPE, signal.SIG_IGN)
os.remove(path)
local fd = assert(socket.socket(socket.AF_UNIX, TYPES[kind], 0))
assert(socket.bind(fd, { family = socket.AF_UNIX, path = path }))
if kind == 'datagram' then
  while socket.recv(fd, 4096) do end
  os.exit(1)
end
assert(socket.listen(fd, 16))
while true do
  local peer = socket.accept(fd)
  if peer then
    if kind == 'stream' then
      socket.recv(peer, 4096)
      socket.send(peer, ANSWER)
    end
    unistd.close(peer)
  end
end
