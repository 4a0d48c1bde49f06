-- What one would write, and where, to change a verdict.

local folders = require 'confine.values.policy_folders'
local glob = require 'confine.values.glob'
local text = require 'confine.values.text'

local M = {}

--- The record of what git reads as its settings.
local GIT = 'policies/protected/git.lua'

--- A path as a policy line writes it: just this name, whatever characters it holds.
local function as_written(thing)
  return text.lua_string(glob.literal(thing))
end

--- Is it a file that git itself writes? It does so by a new one that takes the name, and what is
-- granted by its own name is mounted there (EBUSY), in a folder that stays as it is (EROFS).
local function is_replaced_by_git(answer, resolved)
  for _, entry in ipairs(resolved.files[answer.thing] or {}) do
    if entry.from == GIT then return answer.kind == 'file' end
  end
  return false
end

--- Of what is readable and not writable.
local function to_write(answer, file, resolved)
  if answer.kind == 'absent' then
    return answer.verdict == 'protected' and 'make it first, outside'
      or 'make it first, or grant its folder; what is not there cannot be made writable'
  elseif is_replaced_by_git(answer, resolved) then
    return 'none: git replaces this file, which a grant does not allow; do it outside'
  end
  return ("file.write %s in %s, or --write %s%s"):format(as_written(answer.thing), file,
    text.shell(answer.thing),
    answer.kind == 'file' and ': it is written in place, and cannot be replaced' or '')
end

--- Of a variable that is not set.
local function to_pass(answer, file)
  local name = answer.thing:sub(5)
  if not name:find '^[%a_][%w_]*$' then return nil end
  if answer.authority then
    return ("authority.grant '%s' in %s, or --grant %s: a variable alone reaches nothing")
      :format(answer.authority, file, answer.authority)
  elseif answer.is_allowed then
    return 'set it where the run starts'
  end
  return ("env.allow '%s' in %s, or --env %s"):format(name, file, name)
end

--- Of a socket or an authority that is refused.
local function to_reach(answer, file)
  if answer.authority then
    return ("authority.grant '%s' in %s, or --grant %s")
      :format(answer.authority, file, answer.authority)
  elseif answer.thing:sub(1, 1) == '@' then
    return 'none: abstract names of the host are closed as a whole'
  end
  local name = answer.socket or answer.thing
  return ("socket.grant %s in %s, or --socket %s"):format(as_written(name), file,
    text.shell(glob.literal(name)))
end

--- What would have to be written, and where, to change a verdict; nil where nothing can.
-- @param answer as views.explain makes it
-- @param resolved resolved policy
function M.of(answer, resolved)
  if answer.final then return ('remove the line %s: it refuses for good'):format(answer.from) end
  if answer.is_star then return nil end
  local file, thing = folders.own_file(resolved.facts), as_written(answer.thing)
  if answer.is_made then
    local is_device = answer.kind == 'char' or answer.kind == 'block'
    return answer.verdict == 'hidden' and is_device
      and ("device.grant %s in %s"):format(thing, file) or nil
  end
  if answer.verdict == 'refused' or answer.socket ~= nil then
    return to_reach(answer, file)
  elseif answer.verdict == 'reachable' and answer.kind == 'authority' then
    return ("net 'none' in %s"):format(file)
  elseif answer.verdict == 'reachable' and not answer.granted then
    return ("socket.refuse %s in %s"):format(thing, file)
  elseif answer.verdict == 'hidden' then
    return ("file.read %s in %s, or --read %s"):format(thing, file, text.shell(answer.thing))
  elseif answer.verdict == 'readable' or answer.verdict == 'protected' then
    return to_write(answer, file, resolved)
  elseif answer.kind == 'fifo' then
    return ("file.hide %s in %s"):format(thing, file)
  elseif answer.verdict == 'writable' or answer.verdict == 'private' then
    return ("file.protect %s or file.hide %s in %s"):format(thing, thing, file)
  elseif answer.verdict == 'unset' and answer.kind == 'env' then
    return to_pass(answer, file)
  elseif answer.verdict == 'passed' then
    return ("env.refuse '%s' in %s"):format(answer.thing:sub(5), file)
  end
end

return M
