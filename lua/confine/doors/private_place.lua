-- A private place on the host, the caller's own, in which targets are set up and nothing stays.

local dirent = require 'posix.dirent'
local fcntl = require 'posix.fcntl'
local janitor = require 'confine.doors.janitor'
local stat = require 'posix.sys.stat'
local stdlib = require 'posix.stdlib'
local time = require 'posix.time'
local unistd = require 'posix.unistd'

local M = {}

local PREFIX = '.confine-verify-'

--- A place this old without a janitor was left by one that was killed together with its janitor.
local STALE_SECONDS = 60

--- Makes a folder and what lacks above it.
-- @param mode permission bits (default 0700)
-- @return the path, or nil and a message
function M.folder(path, mode)
  local st = stat.stat(path)
  if st and stat.S_ISDIR(st.st_mode) ~= 0 then return path end
  local parent = path:match '^(.+)/[^/]+$'
  if parent and not stat.stat(parent) then
    local made, message = M.folder(parent)
    if not made then return nil, message end
  end
  local made, message = stat.mkdir(path)
  if not made then return nil, message end
  stat.chmod(path, mode or 448)
  return path
end

--- Writes a file, new or over what it held, and makes the folders above it.
-- @param mode permission bits (default 0600)
-- @return the path, or nil and a message
function M.file(path, text, mode)
  local parent = path:match '^(.+)/[^/]+$'
  local made, message = M.folder(parent)
  if not made then return nil, message end
  local flags = fcntl.O_WRONLY | fcntl.O_CREAT | fcntl.O_TRUNC | fcntl.O_CLOEXEC
  local fd
  fd, message = fcntl.open(path, flags, mode or 384)
  if not fd then return nil, message end
  unistd.write(fd, text)
  unistd.close(fd)
  stat.chmod(path, mode or 384)
  return path
end

local function sweep(parent)
  local now = time.clock_gettime(time.CLOCK_REALTIME).tv_sec
  for _, name in ipairs(dirent.dir(parent) or {}) do
    local path = parent .. '/' .. name
    local st = name:sub(1, #PREFIX) == PREFIX and stat.lstat(path)
    if st and stat.S_ISDIR(st.st_mode) ~= 0 and st.st_uid == unistd.geteuid()
      and now - st.st_mtime > STALE_SECONDS then
      janitor.sweep(path, path .. '/lock')
    end
  end
end

--- Makes the place: in the home, where a home's own rules hold, else where there is room.
-- @param homes list of folders to try first
-- @return { base, janitor, home, run, work, ... = folders in it }, or nil and a message
function M.make(homes)
  local parents = { table.unpack(homes) }
  parents[#parents + 1] = '/var/tmp'
  parents[#parents + 1] = '/tmp'
  local why = 'no folder to make it in'
  for _, parent in ipairs(parents) do
    sweep(parent)
    local base, message = stdlib.mkdtemp(parent .. '/' .. PREFIX .. 'XXXXXX')
    if base then
      local place = { base = base, janitor = janitor.start(base .. '/lock') }
      place.janitor:note('remove', base)
      for _, name in ipairs { 'home', 'run', 'work', 'alone', 'plain', 'outside', 'apart', 'state',
        'bin' } do
        place[name] = assert(M.folder(base .. '/' .. name))
      end
      return place
    end
    why = message
  end
  return nil, 'no private place can be made: ' .. tostring(why)
end

return M
