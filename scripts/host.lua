--- The real host behind the narrow interface that discovery sources see.
--
-- A host is { env = table by name, uid, user, home, homes = list, runtime_dir, runtime_dirs = list,
-- hostname, records } and functions:
--   read(path, max)  text of a regular file of at most max bytes; nil when it is not there; nil
--                    and the reason else
--   list(dir)        sorted names; nil when there is no such folder; nil and the reason else
--   type(path)       'file', 'dir', 'socket' or 'other' behind all links, or nil
--   is_link(path)    is it a symbolic link?
--   is_private(path) is it a file behind all links that nobody but its owner may read?
--   processes()      iterator of { pid, comm, exe, env, command = functions() -> text with NULs |
--                    nil, other_view = true where the process sees other mounts }: the caller's,
--                    without itself
--   sockets()        list of listening { path | abstract, owner = { pid, comm, exe, uid } }; nil
--                    and the reason where it cannot be had
--   run(argv)        what a program prints; nil and the reason when it fails
local dirent = require 'posix.dirent'
local fcntl = require 'posix.fcntl'
local poll = require 'posix.poll'
local pwd = require 'posix.pwd'
local signal = require 'posix.signal'
local stat = require 'posix.sys.stat'
local stdlib = require 'posix.stdlib'
local time = require 'posix.time'
local unistd = require 'posix.unistd'
local utsname = require 'posix.sys.utsname'
local wait = require 'posix.sys.wait'

local M = {}

--- Largest environment that is read, in bytes (the kernel's own limit is a quarter of the stack).
local MAX_ENVIRONMENT = 4 * 1024 * 1024
--- What a program may print, in bytes, and how long it may take, in seconds.
local MAX_OUTPUT, MAX_SECONDS = 1024 * 1024, 5

--- errno(3) of what is not there: ENOENT, ENOTDIR.
local ABSENT = { [2] = true, [20] = true }

--- luaposix puts the path before the reason; the caller says the path in its own way.
local function bare(reason, path)
  local prefix = path .. ': '
  return reason:sub(1, #prefix) == prefix and reason:sub(#prefix + 1) or reason
end

--- Reads a descriptor to its end, or one byte more than `max`.
local function read_all(fd, max)
  local parts, size = {}, 0
  while size <= max do
    local part, reason = unistd.read(fd, 65536)
    if not part then return nil, reason end
    if part == '' then break end
    parts[#parts + 1] = part
    size = size + #part
  end
  if size > max then return nil, ('larger than %d bytes'):format(max) end
  return table.concat(parts)
end

function M.read(path, max)
  -- Without O_NONBLOCK a FIFO of that name would hold the caller up for ever.
  local fd, reason, errno = fcntl.open(path,
    fcntl.O_RDONLY | fcntl.O_NONBLOCK | fcntl.O_CLOEXEC | fcntl.O_NOCTTY)
  if not fd then
    if ABSENT[errno] then return nil end
    return nil, bare(reason, path)
  end
  local at = stat.fstat(fd)
  local text
  if stat.S_ISREG(at.st_mode) == 0 then
    reason = 'not a regular file'
  elseif at.st_size > max then
    reason = ('larger than %d bytes'):format(max)
  else
    text, reason = read_all(fd, max)
  end
  unistd.close(fd)
  return text, reason
end

function M.list(path)
  local at, reason, errno = stat.stat(path)
  if not at and not ABSENT[errno] then return nil, bare(reason, path) end
  if not at or stat.S_ISDIR(at.st_mode) == 0 then return nil end
  -- dirent.dir raises where it cannot open the folder: "... (PATH: REASON)".
  local done, names = pcall(dirent.dir, path)
  if not done then return nil, names:match(': ([^:]+)%)$') or 'cannot be listed' end
  local list = {}
  for _, name in ipairs(names) do
    if name ~= '.' and name ~= '..' then list[#list + 1] = name end
  end
  table.sort(list)
  return list
end

function M.type(path)
  local at = stat.stat(path)
  if not at then return nil end
  if stat.S_ISREG(at.st_mode) ~= 0 then return 'file' end
  if stat.S_ISDIR(at.st_mode) ~= 0 then return 'dir' end
  if stat.S_ISSOCK(at.st_mode) ~= 0 then return 'socket' end
  return 'other'
end

function M.is_link(path)
  local at = stat.lstat(path)
  return at ~= nil and stat.S_ISLNK(at.st_mode) ~= 0
end

function M.is_private(path)
  local at = stat.stat(path)
  return at ~= nil and stat.S_ISREG(at.st_mode) ~= 0 and at.st_mode & 63 == 0
end

local function process(pid, own_view)
  local dir = '/proc/' .. pid
  local view = unistd.readlink(dir .. '/ns/mnt')
  return {
    pid = tonumber(pid),
    comm = (M.read(dir .. '/comm', 64) or ''):gsub('\n$', ''),
    exe = unistd.readlink(dir .. '/exe'),
    other_view = view and view ~= own_view or nil,
    env = function() return M.read(dir .. '/environ', MAX_ENVIRONMENT) end,
    command = function() return M.read(dir .. '/cmdline', MAX_ENVIRONMENT) end,
  }
end

--- Is a process a user's? One that keeps others out of its memory, as ssh-agent does, has its
-- folder in /proc owned by root (proc(5)); its status tells the truth.
local function belongs(pid, uid)
  local owner = stat.stat('/proc/' .. pid)
  if not owner or owner.st_uid ~= 0 or uid == 0 then return owner and owner.st_uid == uid end
  local status = M.read('/proc/' .. pid .. '/status', 65536) or ''
  return tonumber(status:match('\nUid:%s+%d+%s+(%d+)')) == uid
end

--- Iterates over the processes of a user, without the calling one.
function M.processes(uid)
  local own, own_view = tostring(unistd.getpid()), unistd.readlink('/proc/self/ns/mnt')
  local names, at = M.list('/proc') or {}, 0
  return function()
    while at < #names do
      at = at + 1
      local pid = names[at]
      if pid:find('^%d+$') and pid ~= own and belongs(pid, uid) then
        return process(pid, own_view)
      end
    end
  end
end

--- The listening sockets with their owners, by confine.core.
function M.sockets(core)
  if not core or not core.sockets then
    return nil, 'confine.core is not here, so no socket could be looked at'
  end
  local list, reason = core.sockets.list { listening = true }
  if not list then return nil, reason end
  local inodes = {}
  for _, socket in ipairs(list) do inodes[#inodes + 1] = socket.inode end
  local owners
  owners, reason = core.sockets.owners(inodes)
  if not owners then return nil, reason end
  for _, socket in ipairs(list) do socket.owner = owners[socket.inode] end
  return list
end

--- The child's part of M.run: standard input from nowhere, standard output into the pipe.
local function become(argv, output)
  local null = fcntl.open('/dev/null', fcntl.O_RDWR)
  unistd.dup2(null, 0)
  unistd.dup2(output, 1)
  unistd.dup2(null, 2)
  local arguments = {}
  for i = 2, #argv do arguments[i - 1] = argv[i] end
  unistd.execp(argv[1], arguments)
  unistd._exit(127)
end

local function seconds()
  local now = time.clock_gettime(time.CLOCK_MONOTONIC)
  return now.tv_sec + now.tv_nsec / 1e9
end

--- Reads until the end, the limit or the deadline.
local function collect(fd, limit)
  local parts, size, stop = {}, 0, seconds() + limit
  while true do
    local left = math.ceil((stop - seconds()) * 1000)
    if left <= 0 then return nil, ('took longer than %d s'):format(limit) end
    local ready = poll.rpoll(fd, left)
    local part = ready == 1 and unistd.read(fd, 65536)
    if part == '' then return table.concat(parts) end
    if part then
      parts[#parts + 1] = part
      size = size + #part
      if size > MAX_OUTPUT then return nil, ('printed more than %d bytes'):format(MAX_OUTPUT) end
    end
  end
end

--- Runs a program without a shell.
-- @param argv list of strings, the program first, looked up in PATH
-- @param limit seconds, or nil for 5
-- @return what it prints; nil and the reason when it fails
function M.run(argv, limit)
  local input, output = unistd.pipe()
  if not input then return nil, 'pipe: ' .. output end
  fcntl.fcntl(input, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
  local pid, reason = unistd.fork()
  if pid == 0 then become(argv, output) end
  unistd.close(output)
  local text
  if pid then
    text, reason = collect(input, limit or MAX_SECONDS)
    if not text then signal.kill(pid, signal.SIGKILL) end
    local _, how, code = wait.wait(pid)
    if text and (how ~= 'exited' or code ~= 0) then
      text, reason = nil, ('%s: %s %d'):format(argv[1], how, code)
    end
  end
  unistd.close(input)
  return text, reason
end

local function unique(list)
  local out, seen = {}, {}
  for _, item in ipairs(list) do
    if item ~= '' and not seen[item] then
      seen[item] = true
      out[#out + 1] = item
    end
  end
  return out
end

--- Makes the host of this process.
-- @param core confine.core, or nil where only the sockets' owners are missing then
-- @return host, without `records`
function M.new(core)
  local env = stdlib.getenv()
  local uid = unistd.geteuid()
  local entry = pwd.getpwuid(uid) or {}
  local standard = ('/run/user/%d'):format(uid)
  local homes = unique { env.HOME or '', entry.pw_dir or '' }
  local runtime_dirs = unique { env.XDG_RUNTIME_DIR or '', standard }
  return {
    env = env, uid = uid, user = entry.pw_name or env.USER or tostring(uid),
    home = homes[1] or '/', homes = homes,
    runtime_dir = runtime_dirs[1], runtime_dirs = runtime_dirs,
    hostname = utsname.uname().nodename,
    read = M.read, list = M.list, type = M.type, is_link = M.is_link,
    is_private = M.is_private, run = M.run,
    processes = function() return M.processes(uid) end,
    sockets = function() return M.sockets(core) end,
  }
end

return M
