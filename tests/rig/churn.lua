--- Does to a name what hosts do to theirs while somebody waits for the moment between: a daemon
--- starts anew, its folder is made again, a file is replaced. Run as
--- `lua5.4 tests/rig/churn.lua bind|rename|folder|rewrite PATH ROUNDS`; ends after that many.
package.path = './build/luaposix/share/?.lua;' .. package.path
package.cpath = './build/luaposix/lib/?.so;' .. package.cpath

local socket = require 'posix.sys.socket'
local stat = require 'posix.sys.stat'
local time = require 'posix.time'
local unistd = require 'posix.unistd'

local WORLD, FOLDER = 438, 493 -- 0666, 0755

local function listen(path)
  local fd = assert(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, 0))
  assert(socket.bind(fd, { family = socket.AF_UNIX, path = path }))
  stat.chmod(path, WORLD)
  assert(socket.listen(fd, 128))
  return fd
end

local WAYS = {
  bind = function(path)
    os.remove(path)
    return listen(path)
  end,
  rename = function(path)
    local fd = listen(path .. '.new')
    assert(os.rename(path .. '.new', path))
    return fd
  end,
  folder = function(path)
    local folder = path:match '^(.*)/'
    os.remove(path)
    os.remove(folder)
    stat.mkdir(folder)
    stat.chmod(folder, FOLDER)
    return listen(path)
  end,
  rewrite = function(path)
    local file = assert(io.open(path .. '.new', 'w'))
    file:write 'secret'
    file:close()
    stat.chmod(path .. '.new', WORLD)
    assert(os.rename(path .. '.new', path))
  end,
}

local way, path, rounds = WAYS[arg[1]], arg[2], tonumber(arg[3])
local last
for _ = 1, rounds do
  local fd = way(path)
  if last then unistd.close(last) end
  last = fd
  time.nanosleep { tv_sec = 0, tv_nsec = 3000000 }
end
