-- What a run sees at one path: the verdict of the policy, and where the view that is drawn from it
-- refuses more or less than that.

local path = require 'confine.values.path'
local processes = require 'confine.pipeline.processes'
local refused = require 'confine.pipeline.refused'
local resolve = require 'confine.pipeline.resolve'
local unlisted = require 'confine.pipeline.unlisted'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- The refusal of a link that leads to a socket, by its own name or by the folder that it lies in.
local function refused_link(resolved, found)
  for _, link in ipairs(found.links or {}) do
    local answer, file = verdict.socket(resolved, link), verdict.file(resolved, link)
    local is_named = resolved.sockets[link] or file.verdict == 'hidden'
    if answer.verdict == 'refused' and is_named then return answer end
    if file.empty then
      answer.verdict, answer.reason, answer.from = 'refused', file.reason, file.from
      return answer
    end
  end
end

--- Is a star alone about what is absent with its folder, in the tree or right below `/`? No shadow
-- waits there.
local function is_early(resolved, found)
  local folder, base = path.split(found.path), found.exists_to
  return found.type == 'absent' and base ~= folder and not resolved.files[found.path]
    and (base == '/' or path.within(base, resolved.facts.root))
end

--- A name under which the view refuses the same socket, or nil.
local function refused_as(resolved, where, look)
  local identity, drawn = resolve.identity(look), {}
  for _, name in ipairs(resolved.sketch.names) do drawn[name.path] = name.type == 'socket' end
  if drawn[where] then return nil end
  for _, name in ipairs(resolved.names) do
    local is_same = name.look.type == 'socket' and resolve.identity(name.look) == identity
    if is_same and drawn[name.path] then return name.path end
  end
end

--- What holds for a further name that is granted, as another name of the socket is: in the folders
-- that the stage changes it knows a socket that it refuses again.
-- @param answer of verdict.socket on the name
-- @return the answer
local function as_granted(resolved, where, look, answer)
  local is_drawn = resolved.sketch.folders[(path.split(where))]
  local is_further = look.nlink and look.nlink > 1 and not resolved.grants[where]
  if answer.granted and is_further and is_drawn then
    local other = refused_as(resolved, where, look)
    if other then answer.verdict, answer.reason = 'refused', 'refused as ' .. other end
  end
  return answer
end

--- What holds for a name that was not found: the stage knows the file again in the folders that it
-- changes, and nowhere else.
-- @param resolved with its sketch
-- @param look of the name, with nlink
-- @return the answer on the name that is refused, false where the name is not refused as another
--   one, nil where it is none of these
local function stray(resolved, where, look)
  local name = look.nlink and look.nlink > 1 and resolved.linked[resolve.identity(look)]
  local map = name and (name.entry.noun == 'file' and resolved.files or resolved.sockets)
  if not name or map[where] then return nil end
  if not resolved.sketch.folders[(path.split(where))] then return false end
  local judge = look.type == 'socket' and verdict.socket or verdict.file
  local answer = judge(resolved, name.path, look)
  answer.thing, answer.reason = where, answer.verdict .. ' as ' .. name.path
  return answer
end

--- The answer on a socket.
local function socket(resolved, found, is_stray)
  local where = found.path
  local answer = refused_link(resolved, found)
    or verdict.socket(resolved, where, not is_stray and found or nil)
  answer = as_granted(resolved, where, found, answer)
  if answer.by_default and not unlisted.refuses(resolved, where) then
    answer.verdict = 'reachable'
    answer.reason = 'no list names it, no search found it, and its folder is not shadowed'
  end
  if answer.verdict == 'reachable' and found.type == 'absent'
    and verdict.file(resolved, where).verdict == 'private' then
    answer.verdict, answer.is_made = 'refused', true
    answer.reason = 'a private place: what the host binds there later does not show'
  end
  return answer
end

--- What takes a path away as a file: a refusal of sockets takes whatever stands at its name, and
-- with a folder what lies below it.
-- @param found look of the path
-- @return answer of verdict.socket, or nil
local function refused_as_socket(resolved, found)
  local at = found.type == 'absent' and found.exists_to or found.path
  while at do
    local judged
    if at == found.path and found.type == 'socket' then
      judged = socket(resolved, found)
    elseif verdict.socket_refusals(resolved, at)[1] then
      judged = verdict.socket(resolved, at)
    end
    if judged and judged.verdict == 'refused' and (found.type == 'socket' or not judged.by_default)
    then
      return judged, at
    end
    at = path.split(at)
  end
end

--- Is it a link that is hidden by its own name and stays, since no link can be masked?
local function is_open_link(resolved, link)
  for _, name in ipairs(resolved.sketch.names) do
    if name.path == link then return name.type == 'link' and name.treatment.how == 'nothing' end
  end
  return false
end

--- The answer on a link on the way to a file that does not show where it lies, or nil.
local function unseen_link(resolved, found)
  for _, link in ipairs(found.links or {}) do
    local answer = verdict.file(resolved, link)
    if (answer.verdict == 'hidden' and not is_open_link(resolved, link)) or answer.empty then
      answer.by_link = link
      return answer
    end
  end
end

--- What holds for an absent path below, or at, what stands for the folder of an absent protected
-- name: `.git`, of `.git/config`. Nil where none does.
local function behind_placeholder(resolved, found)
  for _, name in ipairs(resolved.names) do
    local stands = name.entry.verb == 'protect' and name.look.type == 'absent'
      and refused.missing_part(name.look, {})
    if stands and stands ~= name.path and path.within(found.path, stands) then
      local answer = verdict.file(resolved, name.path)
      if answer.verdict == 'protected' then
        answer.thing = found.path
        answer.reason = ('an empty folder stands at %s while a run lasts'):format(stands)
        return answer
      end
    end
  end
end

--- The answer on a file or folder.
local function file(resolved, found)
  local link = unseen_link(resolved, found)
  if link then return link end
  local answer = verdict.file(resolved, found.path)
  if answer.verdict == 'hidden' then
    if found.blocked or is_early(resolved, found) then
      answer.reason = 'hidden if it is there when a run starts; not in a folder that appears later'
    end
    return answer
  end
  if answer.empty then return answer end
  local refusal, at = refused_as_socket(resolved, found)
  if refusal then
    refusal.thing, refusal.verdict, refusal.socket = found.path, 'hidden', at
    refusal.reason = at == found.path and 'refused as a socket, whatever it is'
      or ('below %s, which is refused as a socket'):format(at)
    return refusal
  end
  if found.type == 'absent' and answer.verdict == 'writable' then
    return behind_placeholder(resolved, found) or answer
  end
  if found.type == 'fifo' and (answer.verdict == 'readable' or answer.verdict == 'protected') then
    local default = resolved.policy['socket.default']
    if default.value == 'refused' and unlisted.refuses(resolved, found.path) then
      answer.verdict, answer.from = 'hidden', default.from
      answer.reason = 'a FIFO, refused like a socket that no list names'
    else
      answer.verdict = 'writable'
      answer.reason = 'a FIFO: whom its mode lets may write to it, although its place is read-only'
    end
  end
  return answer
end

--- What holds for a path.
-- @param resolved with its sketch
-- @param found look of the path, whole
-- @param is_socket boolean: as a socket, or as a file
-- @return answer as of verdict.socket or verdict.file; `by_link` where a link on the way to it does
--   not show
function M.answer(resolved, found, is_socket)
  local process = processes.answer(resolved, found)
  if process then
    if is_socket and process.verdict == 'hidden' then process.verdict = 'refused' end
    return process
  end
  local other = stray(resolved, found.path, found)
  if other then return other end
  if is_socket then return socket(resolved, found, other == false) end
  return file(resolved, found)
end

return M
