--- Writes a file in one step: readers see the old text or the new, also after a crash.
local fcntl = require 'posix.fcntl'
local stat = require 'posix.sys.stat'
local stdlib = require 'posix.stdlib'
local unistd = require 'posix.unistd'

local M = {}

--- Modes of what is made: policies are no secret, and nobody else may write them.
local FILE_MODE, FOLDER_MODE = tonumber('0644', 8), tonumber('0755', 8)
local OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH

--- Makes a folder and those above it that are missing.
-- @return true, or nil and the reason
function M.folder(dir)
  if stat.stat(dir) then return true end
  local above = dir:match('^(.+)/[^/]+$')
  if above then
    local made, reason = M.folder(above)
    if not made then return nil, reason end
  end
  local done, reason = stat.mkdir(dir, FOLDER_MODE)
  if done ~= 0 then return nil, 'mkdir ' .. reason end
  return true
end

--- May a policy be this file, or lie in this folder: a real one that only the caller or root can
-- write?
-- @param kind 'file' or 'folder'
-- @return true, or nil and the reason
local function fit(where, kind)
  local at, reason = stat.lstat(where)
  if not at then return nil, 'lstat ' .. reason end
  if stat.S_ISLNK(at.st_mode) ~= 0 then return nil, where .. ': a symbolic link' end
  local is_it = kind == 'file' and stat.S_ISREG or stat.S_ISDIR
  if is_it(at.st_mode) == 0 then return nil, where .. ': not a ' .. kind end
  if at.st_uid ~= 0 and at.st_uid ~= unistd.geteuid() then
    return nil, where .. ': owned by another user'
  end
  if at.st_mode & OTHERS_WRITE ~= 0 then return nil, where .. ': others can write it' end
  return true
end

--- May a policy lie in this folder?
-- @return true, or nil and the reason
function M.fit(dir)
  return fit(dir, 'folder')
end

--- Is the layer in this folder one that a run takes? A run refuses to start with another.
-- @return true, or nil and the reason
function M.is_taken(dir, name)
  local done, reason = fit(dir, 'folder')
  if not done then return nil, reason end
  return fit(dir .. '/' .. name, 'file')
end

local function write_all(fd, text)
  local at = 1
  while at <= #text do
    local count, reason = unistd.write(fd, text:sub(at, at + 65535))
    if not count then return nil, 'write ' .. reason end
    at = at + count
  end
  local synced, reason = unistd.fsync(fd)
  if not synced then return nil, 'fsync ' .. reason end
  return true
end

local function sync_folder(dir)
  local fd = fcntl.open(dir, fcntl.O_RDONLY | fcntl.O_CLOEXEC)
  if fd then
    unistd.fsync(fd)
    unistd.close(fd)
  end
end

--- Replaces a file's text. A link of that name is not followed and not replaced.
-- @param dir folder, which must be M.fit
-- @param name file name in it
-- @param text string
-- @return true, or nil and the reason
function M.write(dir, name, text)
  local where = dir .. '/' .. name
  local there = stat.lstat(where)
  if there and stat.S_ISREG(there.st_mode) == 0 then return nil, where .. ': not a regular file' end
  -- Without `.lua` at its end, what a crash leaves is never read as a policy.
  local fd, temporary = stdlib.mkstemp(('%s/.%s.XXXXXX'):format(dir, name))
  if not fd then return nil, 'mkstemp ' .. temporary end
  local done, reason = write_all(fd, text)
  unistd.close(fd)
  if done and stat.chmod(temporary, FILE_MODE) ~= 0 then
    done, reason = nil, temporary .. ': its mode cannot be set'
  end
  if done then done, reason = os.rename(temporary, where) end
  if not done then
    unistd.unlink(temporary)
    return nil, reason
  end
  sync_folder(dir)
  return true
end

return M
