-- What attempts aim at: a process of confine-probe that holds sockets and shared things; files.

local child = require 'confine.doors.child'
local place = require 'confine.doors.private_place'
local stat = require 'posix.sys.stat'
local unistd = require 'posix.unistd'

local M = {}
M.__index = M

local PATIENCE = 5

--- Starts the process.
-- @param probe path of confine-probe, under the name that the process is to have
-- @param options { word = text of its command line, env = variables to add }
-- @return targets, or nil and a message
function M.start(probe, options)
  local orders, pen = child.pipe()
  local ear, answers = child.pipe()
  child.keep_private(pen)
  child.keep_private(ear)
  local process = child.start({ probe, 'targets', options.word },
    { session = true, env = options.env, cwd = '/',
      fds = { [0] = orders, [1] = answers, [2] = -1 } })
  unistd.close(orders)
  unistd.close(answers)
  local self = setmetatable({ process = process, pen = pen, ear = ear, heard = '',
    standing = {} }, M)
  local said, message = self:order 'self'
  if not said then
    self:finish()
    return nil, 'confine-probe does not serve: ' .. message
  end
  self.pid, self.fd = said:match '^(%d+) (%d+)'
  return self
end

--- Gives one order of core/probe/targets.h.
-- @return what was answered after `ok`, or nil and a message
function M:order(...)
  local words = { ... }
  unistd.write(self.pen, table.concat(words, '\0') .. '\0\0')
  local deadline = child.now() + PATIENCE
  while not self.heard:find '\n' and child.now() < deadline do
    local piece = unistd.read(self.ear, 4096)
    if not piece or piece == '' then return nil, 'it ended' end
    self.heard = self.heard .. piece
  end
  local line, rest = self.heard:match '^([^\n]*)\n(.*)$'
  self.heard = rest or ''
  if line and line:sub(1, 3) == 'ok ' then return line:sub(4) end
  return nil, line and line:match '^error (.*)$' or 'no answer'
end

--- Ends the process, which takes its sockets and objects away.
function M:finish()
  child.close(self.pen)
  child.close(self.ear)
  child.finish(self.process, PATIENCE)
end

--- What a step does, by its first word. Each returns true, or nil and a message.
local STEPS = {}

function STEPS.listen(targets, protocol, kind, name)
  if name:sub(1, 1) == '/' then
    local made, message = place.folder(name:match '^(.+)/')
    if not made then return nil, message end
  end
  -- Several probes may aim at one socket.
  if targets.standing[name] == protocol then return true end
  targets.standing[name] = protocol
  return targets:order('listen', protocol, kind, name)
end

function STEPS.close(targets, name)
  targets.standing[name] = nil
  return targets:order('close', name)
end

function STEPS.replace(targets, protocol, kind, name)
  return targets:order('replace', protocol, kind, name)
end

function STEPS.file(_, path, text, mode)
  return place.file(path, text, mode and tonumber(mode, 8))
end

function STEPS.folder(_, path, mode) return place.folder(path, mode and tonumber(mode, 8)) end

--- Replaces a file as editors and daemons do: another is written and renamed over it.
function STEPS.rewrite(_, path, text)
  local ok, message = place.file(path .. '.new', text)
  if not ok then return nil, message end
  return os.rename(path .. '.new', path)
end

function STEPS.rename(targets, from, to)
  for name in pairs(targets.standing) do
    if name:sub(1, #from + 1) == from .. '/' then targets.standing[name] = nil end
  end
  return os.rename(from, to)
end

function STEPS.link(_, target, path)
  local made, message = place.folder(path:match '^(.+)/')
  if not made then return nil, message end
  return unistd.link(target, path, true)
end

function STEPS.hard_link(_, target, path) return unistd.link(target, path, false) end

function STEPS.mode(_, path, mode) return stat.chmod(path, tonumber(mode, 8)) end

--- Runs a program to its end, in a folder.
function STEPS.command(_, folder, ...)
  local outcome = child.run({ ... }, { cwd = folder })
  if outcome.code == 0 then return true end
  return nil, (outcome.err:match '^[^\n]*' or '')
end

--- Rewrites a file again and again, for a second, while things go on.
function STEPS.rewriting(targets, path, text)
  local process = child.fork(function()
    local deadline = child.now() + 1
    repeat STEPS.rewrite(targets, path, text) until child.now() > deadline
    return 0
  end, { fds = { [0] = -1, [1] = -1, [2] = -1 } })
  targets.at_work = targets.at_work or {}
  table.insert(targets.at_work, process)
  return true
end

--- Does steps in their order.
-- @param steps list of lists: the word of a step and its arguments
-- @return true, or nil and a message that names the step
function M:arrange(steps)
  for _, step in ipairs(steps) do
    local ok, message = STEPS[step[1]](self, table.unpack(step, 2))
    if not ok then return nil, ('%s %s: %s'):format(step[1], step[2], tostring(message)) end
  end
  return true
end

--- Waits for what goes on behind the scene.
function M:settle()
  for _, process in ipairs(self.at_work or {}) do child.finish(process, 5) end
end

return M
