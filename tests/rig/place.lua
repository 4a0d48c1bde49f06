--- Who the rig's programs run as, and the folders and files they find: one record for the ordinary
--- user, one for root.
local fcntl = require 'posix.fcntl'
local pwd = require 'posix.pwd'
local stat = require 'posix.sys.stat'
local unistd = require 'posix.unistd'

local M = {}

--- The account that RIG_AS (user, the default, or root) names, or the one asked for.
-- @param as 'user' or 'root'
-- @return { as, name, uid, gid, home, runtime = its XDG_RUNTIME_DIR }
function M.of(as)
  local name = as == 'root' and 'root' or os.getenv 'CONFINE_TEST_USER'
  local entry = assert(pwd.getpwnam(name), 'no such user: ' .. tostring(name))
  return {
    as = as,
    name = name,
    uid = entry.pw_uid,
    gid = entry.pw_gid,
    home = entry.pw_dir,
    runtime = '/run/user/' .. math.tointeger(entry.pw_uid),
  }
end

--- The environment of a login of that account, to which `more` is added.
function M.environment(account, more)
  local env = {
    HOME = account.home,
    USER = account.name,
    LOGNAME = account.name,
    PATH = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
    LANG = 'C.UTF-8',
    SHELL = '/bin/sh',
    XDG_RUNTIME_DIR = account.runtime,
  }
  for name, value in pairs(more or {}) do env[name] = value or nil end
  return env
end

--- The argv that runs `argv` as that account; the spec process is root.
function M.argv_as(account, argv)
  if account.uid == 0 then return argv end
  local full = {
    '/usr/bin/setpriv', '--reuid=' .. math.tointeger(account.uid),
    '--regid=' .. math.tointeger(account.gid), '--init-groups', '--',
  }
  return table.move(argv, 1, #argv, #full + 1, full)
end

--- Makes a folder and what lacks above it, owned by the account (nil: root).
-- @param mode permission bits (default 0755)
function M.folder(path, account, mode)
  local parent = path:match '^(.*)/[^/]+$'
  if parent ~= '' and not stat.stat(parent) then M.folder(parent, account) end
  if not stat.stat(path) then assert(stat.mkdir(path)) end
  stat.chmod(path, mode or 493)
  if account then unistd.chown(path, account.uid, account.gid) end
  return path
end

--- Writes a file, owned by the account (nil: root).
-- @param mode permission bits (default 0644)
function M.file(path, text, account, mode)
  local fd = assert(fcntl.open(path, fcntl.O_WRONLY | fcntl.O_CREAT | fcntl.O_TRUNC, mode or 420))
  assert(unistd.write(fd, text) == #text)
  unistd.close(fd)
  stat.chmod(path, mode or 420)
  if account then unistd.chown(path, account.uid, account.gid) end
  return path
end

--- Tells whether something is at that path, without following a last link.
function M.exists(path)
  return stat.lstat(path) ~= nil
end

return M
