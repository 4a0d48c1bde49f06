-- Makes a host crowded: PROCESSES processes with five listening sockets each, in FOLDER. Writes
-- FOLDER/ready when all are there; they end with this one.
local socket = require 'posix.sys.socket'
local unistd = require 'posix.unistd'

local SOCKETS = 5
local folder, processes = arg[1], tonumber(arg[2])

local function listen(path)
  local fd = assert(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0))
  assert(socket.bind(fd, { family = socket.AF_UNIX, path = path }))
  assert(socket.listen(fd, 1))
end

local ready, tell = unistd.pipe()
-- Nothing is ever written here; reading ends when the last writer, this process, is gone.
local life, hold = unistd.pipe()
for i = 1, processes do
  local pid = assert(unistd.fork())
  if pid == 0 then
    unistd.close(hold)
    for at = 1, SOCKETS do listen(('%s/%d-%d'):format(folder, i, at)) end
    unistd.write(tell, 'x')
    unistd.read(life, 1)
    unistd._exit(0)
  end
end
local count = 0
while count < processes do count = count + #unistd.read(ready, 4096) end
assert(io.open(folder .. '/ready', 'w')):close()
while true do unistd.sleep(600) end
