--- The demo's listening sockets and their client: serves a text to who connects, or asks for it.
--
-- confine-lua lua socket.lua serve PATH TEXT     listens at PATH until it is killed
-- confine-lua lua socket.lua ask PATH            prints what the socket at PATH says
local socket = require 'posix.sys.socket'
local unistd = require 'posix.unistd'

local verb, path, text = table.unpack(arg, 1, 3)
local address = { family = socket.AF_UNIX, path = path }
local fd = assert(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0))

if verb == 'serve' then
  assert(socket.bind(fd, address))
  assert(socket.listen(fd, 8))
  while true do
    local client = socket.accept(fd)
    if client then
      socket.send(client, text .. '\n')
      unistd.close(client)
    end
  end
end

local ok, problem = socket.connect(fd, address)
if not ok then
  io.stderr:write(problem, '\n')
  os.exit(1)
end
io.write(socket.recv(fd, 4096) or '')
