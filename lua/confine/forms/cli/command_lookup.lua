-- Finds the command in the PATH it will have inside, so that 126 and 127 mean what a shell means.

local core = require 'confine.core'
local path = require 'confine.values.path'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'

local M = {}

local function value_of(plan, name)
  for _, item in ipairs(plan.env) do
    if item.name == name then return item.value end
  end
end

--- The line that makes a private and empty place of where a file or a link to it lies, or nil.
local function emptied(look, resolved)
  for _, at in ipairs { look.path, table.unpack(look.links or {}) } do
    local judged = verdict.file(resolved, at)
    if judged.verdict == 'private' and judged.empty then return judged.from end
  end
end

--- The program that a script names in its first line (execve(2)); nil where it names none by a
-- whole path.
local function interpreter(where)
  local file = io.open(where, 'rb')
  local line = file and file:read(256)
  if file then file:close() end
  return line and line:match '^#![ \t]*(/[^ \t\n\0]+)[ \t\n]'
end

--- Judges one file: true, 'missing' or 'denied'; with a reason where there is more to say; and its
-- canonical path.
local function judge_file(where, resolved)
  local look = core.paths.look(where)
  if not look or look.type == 'absent' then return 'missing' end
  local line = look.type ~= 'unknown' and emptied(look, resolved)
  if line then
    return 'missing', ('it lies in a place that is private and empty inside: %s'):format(line)
  end
  local judged = verdict.file(resolved, look.path)
  if judged.verdict == 'hidden' then
    return 'denied', ('hidden by confine: %s'):format(judged.from)
  end
  if look.type == 'unknown' then return 'denied', look.unknown end
  if look.type == 'dir' then return 'denied', 'is a folder' end
  if look.type ~= 'file' or look.mode & 73 == 0 then return 'denied', 'is not executable' end
  return true, nil, look.path
end

--- Judges one candidate, as above: it does not start either without the program that it names.
local function judge(where, resolved)
  local state, reason, at = judge_file(where, resolved)
  local program = state == true and interpreter(at)
  if program then
    state, reason = judge_file(program, resolved)
    if state ~= true then
      reason = ('its interpreter %s: %s'):format(text.cut(program, 200), reason or 'no such file')
    end
  end
  return state, reason
end

--- Looks a command up.
-- @param name string, the first word of the command
-- @param prepared session with plan, facts and resolved policy
-- @return true, or nil, 126 or 127, and the message
function M.find(name, prepared)
  local shown = text.cut(name, 200)
  if name:find('\0', 1, true) then return nil, 127, 'the command holds a NUL byte' end
  if name:find('/', 1, true) then
    local where = name:sub(1, 1) == '/' and name or path.join(prepared.facts.cwd, name)
    if #where >= 4096 then return nil, 127, ('%s: the path is too long'):format(shown) end
    local state, reason = judge(where, prepared.resolved)
    if state == true then return true end
    if state == 'missing' then
      return nil, 127, ('%s: %s'):format(shown, reason or 'no such file')
    end
    return nil, 126, ('%s: %s'):format(shown, reason)
  end
  local denied, emptied_at
  local folders = value_of(prepared.plan, 'PATH') or '/usr/local/bin:/usr/bin:/bin'
  for dir in (folders .. ':'):gmatch('([^:]*):') do
    if dir == '' then dir = '.' end
    if dir:sub(1, 1) ~= '/' then dir = path.join(prepared.facts.cwd, dir) end
    local where = dir .. '/' .. name
    if #where < 4096 then
      local state, reason = judge(where, prepared.resolved)
      if state == true then return true end
      if state == 'denied' then
        denied = denied or ('%s: %s'):format(text.visible(where), reason)
      elseif reason then
        emptied_at = emptied_at or ('%s: %s'):format(text.visible(where), reason)
      end
    end
  end
  if denied then return nil, 126, denied end
  return nil, 127, emptied_at or ('%s: not found in PATH'):format(shown)
end

return M
