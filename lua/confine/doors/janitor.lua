-- A process that clears up after another: also when that one is killed, as it waits for its end.

local child = require 'confine.doors.child'
local dirent = require 'posix.dirent'
local fcntl = require 'posix.fcntl'
local signal = require 'posix.signal'
local stat = require 'posix.sys.stat'
local unistd = require 'posix.unistd'

local M = {}
M.__index = M

--- Removes what is at a path, whole, without following links.
-- @return true when nothing is left
function M.remove(path)
  local st = stat.lstat(path)
  if not st then return true end
  if stat.S_ISDIR(st.st_mode) ~= 0 then
    stat.chmod(path, 448)
    for _, name in ipairs(dirent.dir(path) or {}) do
      if name ~= '.' and name ~= '..' then M.remove(path .. '/' .. name) end
    end
    unistd.rmdir(path)
  else
    unistd.unlink(path)
  end
  return stat.lstat(path) == nil
end

--- Everything that was noted, in the reverse order. A keeper may still be at work in a folder.
local function clear(notes)
  for i = #notes, 1, -1 do
    local note = notes[i]
    if note.what == 'kill' and not notes.over[note.name] then
      signal.kill(tonumber(note.name), signal.SIGKILL)
      signal.killpg(tonumber(note.name), signal.SIGKILL)
    end
  end
  for i = #notes, 1, -1 do
    local note = notes[i]
    if note.what == 'remove' then
      child.poll(5, function() return M.remove(note.name) end)
    end
  end
end

--- Is the folder in use? Its janitor holds a lock on the file in it.
-- @return descriptor of the lock, which is now ours, or nil
local function take(lock)
  local fd = fcntl.open(lock, fcntl.O_RDWR | fcntl.O_CREAT | fcntl.O_CLOEXEC, 384)
  local wish = { l_type = fcntl.F_WRLCK, l_whence = unistd.SEEK_SET or 0, l_start = 0, l_len = 0 }
  if fd and fcntl.fcntl(fd, fcntl.F_SETLK, wish) then return fd end
  if fd then unistd.close(fd) end
end

--- Removes a folder whose janitor is gone.
-- @param lock the file in it that says so
function M.sweep(folder, lock)
  local fd = take(lock)
  if not fd then return end
  M.remove(folder)
  unistd.close(fd)
end

local function serve(orders, lock)
  for _, name in ipairs { 'SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGPIPE' } do
    signal.signal(signal[name], signal.SIG_IGN)
  end
  local held, text, notes = take(lock), '', { over = {} }
  repeat
    local piece = unistd.read(orders, 4096)
    text = text .. (piece or '')
    text = text:gsub('(%l+)%z(%Z*)%z', function(what, name)
      if what == 'over' then
        notes.over[name] = true
      else
        notes[#notes + 1] = { what = what, name = name }
        if what == 'kill' then notes.over[name] = nil end
      end
      return ''
    end)
  until piece == '' or not piece
  clear(notes)
  if held then unistd.close(held) end
  return 0
end

--- Starts a janitor.
-- @param lock a file that it holds locked for as long as it lives
-- @return janitor with :note(what, name) and :finish()
function M.start(lock)
  local orders, pen = child.pipe()
  child.keep_private(pen)
  local process = child.fork(function() return serve(orders, lock) end,
    { session = true, fds = { [0] = -1, [1] = -1, [2] = -1 }, cwd = '/' })
  unistd.close(orders)
  return setmetatable({ process = process, pen = pen }, M)
end

--- Notes what is to be cleared up.
-- @param what 'remove' (a path), 'kill' (a process number) or 'over' (that process has ended)
function M:note(what, name)
  unistd.write(self.pen, what .. '\0' .. tostring(name) .. '\0')
end

--- Has everything cleared up and waits for that.
function M:finish()
  child.close(self.pen)
  child.finish(self.process, 15)
end

return M
