-- What a run says before it starts: what is refused and lives here, what may be reachable all the
-- same, and what a person would wonder at inside.

local endpoints = require 'confine.pipeline.endpoints'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'
local root = require 'confine.pipeline.root'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'
local view = require 'confine.pipeline.view'

local M = {}

--- What listens here, by identity and by name; not what was bound in another network namespace.
local function listening(facts)
  local out = {}
  for _, socket in ipairs(facts.sockets) do
    if socket.dev then out[resolve.identity(socket)] = true end
    if socket.path then out[socket.path] = true end
  end
  return out
end

--- The authorities that are refused and have a socket here.
-- @return those of which one listens, and those of which none is seen to; sorted
local function refused(resolved)
  local listens, is_live, live, mute = listening(resolved.facts), {}, {}, {}
  for _, name in ipairs(resolved.names) do
    local entry, look = name.entry, name.look
    if entry.noun == 'socket' and look.type == 'socket' and entry.authority
      and not resolve.is_free(look) and not resolved.authorities[entry.authority] then
      is_live[entry.authority] = is_live[entry.authority] or listens[name.path]
        or listens[resolve.identity(look)] or false
    end
  end
  for authority, lives in pairs(is_live) do
    table.insert(lives and live or mute, authority)
  end
  table.sort(live)
  table.sort(mute)
  return live, mute
end

--- One line: what was refused that lives on this host. What no listener is seen of may be a file
-- that a daemon left, or the socket of a host outside of this container.
local function summary(prepared)
  local live, mute = refused(prepared.resolved)
  local told = #live > 0 and 'refused and live here: ' .. table.concat(live, ', ')
    or 'no refused authority is live here'
  if #mute > 0 then
    told = ('%s; refused, and no listener seen: %s'):format(told, table.concat(mute, ', '))
  end
  local plan, facts = prepared.plan, prepared.facts
  local is_private = verdict.file(prepared.resolved, plan.root).verdict == 'private'
  local access = is_private and 'private' or facts.root_is_ours and 'writable' or 'not writable'
  return ('%s; %s: %s; net %s; `confine-lua explain` tells more'):format(told, access,
    text.visible(plan.root), plan.net)
end

--- One line: what the host's network leaves reachable; nil where nothing is known to be.
local function open_endpoints(prepared)
  local list = endpoints.reachable(prepared.policy, prepared.facts)
  if #list == 0 then return nil end
  local shown = {}
  for i, item in ipairs(list) do
    shown[i] = ('%s at tcp://%s (%s)'):format(item.authority, item.tcp, item.from)
  end
  return ("net 'host' (%s) leaves reachable: %s"):format(prepared.policy.net.from,
    table.concat(shown, ', '))
end

--- One line for each name that may be reachable, of the first ones, and for each variable.
local function open_notes(plan)
  local out, list = {}, {}
  for _, item in ipairs(plan.unfound) do
    if not item.is_far then list[#list + 1] = item end
  end
  for i = 1, math.min(#list, 3) do
    out[i] = ('%s: %s'):format(text.visible(list[i].path), list[i].message)
  end
  if #list > #out then
    out[#out + 1] = ('%d more may be reachable; --bounds FILE lists them'):format(#list - #out)
  end
  for _, item in ipairs(plan.unread) do out[#out + 1] = item.from .. ' ' .. item.message end
  return out
end

--- One line: the settings that are hidden for the logins in them; nil where there are none. What
-- reads them inside goes without.
local function login_note(resolved)
  local list = {}
  for i, item in ipairs(resolved.logins) do
    list[i] = ('%s (%s)'):format(text.visible(item.path), item.where)
  end
  if #list == 0 then return nil end
  local shown = table.concat(list, ', ', 1, math.min(#list, 3))
  if #list > 3 then shown = ('%s and %d more'):format(shown, #list - 3) end
  local them = #list == 1 and 'it' or 'them'
  return ('hidden, since a login stands in %s: %s; programs inside do not find %s; --read FILE '
    .. 'shows one'):format(them, shown, them)
end

--- What becomes of what is written in the writable root, where that is a private place; else nil.
local function private_root(resolved)
  local root_is = verdict.file(resolved, resolved.facts.root)
  if root_is.verdict ~= 'private' then return nil end
  local is_kept = false
  for _, item in ipairs(resolved.grants[resolved.facts.root] or {}) do
    is_kept = is_kept or (item.grant.from == root_is.from and item.grant.keep == true)
  end
  return ('the work tree %s is private (%s): what is written in it %s')
    :format(text.visible(resolved.facts.root), root_is.from,
      is_kept and 'is kept for the next run here, and not written to the tree'
        or 'is thrown away at the end')
end

--- What of the host a folder contains that no grant may hand over; nil for nothing.
local function contains(facts, folder)
  if folder == '/' then return 'is the whole host' end
  for _, home in ipairs(facts.home_folders) do
    if path.within(home, folder) then return 'contains your home' end
  end
  return path.within(facts.root, folder) and 'contains the work tree' or nil
end

--- One line: where the repository of the work tree lies, when that is elsewhere; nil when it can be
-- written. The .git that says so may be a command's own work: what it names is only proposed where
-- a repository is, and no more with it.
local function outside_note(resolved, outside)
  local judged, shown = verdict.file(resolved, outside.path), text.visible(outside.path)
  if judged.verdict == 'writable' then return nil end
  local why_not = judged.verdict == 'hidden' and ('is hidden (%s)'):format(judged.from)
    or not outside.is_repository and 'is no repository'
    or contains(resolved.facts, outside.path)
  if why_not then
    return ('git cannot write here: what .git names, %s, %s'):format(shown, why_not)
  end
  return ('git cannot write here: the repository of this work tree lies in %s; --write %s lets it')
    :format(shown, text.shell(outside.path))
end

--- One line for each thing about the work tree that a person would wonder at inside.
local function tree_notes(resolved)
  local out, facts = {}, resolved.facts
  if not facts.root_is_ours then
    local whose = facts.root_look.uid == facts.uid and 'its mode forbids it'
      or ('it belongs to user id %d'):format(facts.root_look.uid)
    local remedy = facts.uid == 0 and '; root has no power over it inside, so run as that user'
      or '; --root names another'
    out[1] = ('the writable root %s cannot be written: %s%s'):format(text.visible(facts.root),
      whose, remedy)
  end
  if #resolved.shut > 0 then
    local shown = {}
    for i = 1, math.min(#resolved.shut, 3) do shown[i] = text.visible(resolved.shut[i]) end
    if #resolved.shut > 3 then shown[4] = ('and %d more'):format(#resolved.shut - 3) end
    out[#out + 1] = ('hidden, since you cannot search them: %s; chmod u+rwx opens one')
      :format(table.concat(shown, ', '))
  end
  out[#out + 1] = private_root(resolved)
  local top, outside = facts.git_top, facts.git_outside
  if outside then
    out[#out + 1] = outside_note(resolved, outside)
  elseif top and not root.lists(facts, '.git') then
    out[#out + 1] = ("git cannot write here: the work tree's top %s lies above the writable root; "
      .. '--root %s takes it whole'):format(text.visible(top), text.shell(top))
  end
  return out
end

--- What a person would not expect of a private place that they asked for; nil for nothing.
local function private_note(resolved, where, look)
  local judged, facts = verdict.file(resolved, where), resolved.facts
  if judged.verdict ~= 'private' then
    return ('no private place is made: it is %s%s'):format(judged.verdict,
      look.type ~= 'dir' and look.type ~= 'absent' and ', and no folder'
        or judged.from and (' (%s)'):format(judged.from) or '')
  elseif resolved.emptied[where] then
    return ('it is hidden (%s), so the private place is empty'):format(judged.lifted.from)
  elseif path.below(facts.root, where)
    and verdict.file(resolved, facts.root).verdict == 'writable' then
    return ('the work tree in it, %s, stays writable; --private %s makes it private as well')
      :format(text.visible(facts.root), text.shell(facts.root))
  end
end

--- What a person would not expect of a place that they asked to read; nil for nothing.
local function read_note(resolved, where, look)
  local judged = verdict.file(resolved, where)
  if look.type == 'absent' then return 'nothing is there' end
  return judged.verdict == 'hidden'
    and ('it stays hidden (%s refuses it)'):format(judged.from) or nil
end

local NOTES = { private = private_note, read = read_note }

--- One line for each flag that grants nothing here, or less: somebody believes that the command has
-- it.
local function flag_notes(resolved, plan)
  local out = {}
  local function note(grant, message)
    if grant.layer == 'command line' then out[#out + 1] = ('%s: %s'):format(grant.from, message) end
  end
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      local tell = item.grant.noun == 'file' and NOTES[item.grant.verb]
      local told = tell and tell(resolved, where, item.look)
      if told then note(item.grant, told) end
      if item.grant.noun == 'socket' and item.look.type ~= 'socket' then
        note(item.grant, 'no socket is there')
      end
    end
  end
  for name, grants in pairs(resolved.env_grants) do
    for _, grant in ipairs(grants) do
      if grant.verb == 'allow' and not resolved.facts.env[name] then
        note(grant, 'it is not set')
      end
    end
  end
  -- A grant may also set a variable that leads elsewhere, or show credential files.
  local gives = {}
  for _, socket in ipairs(view.granted_sockets(resolved, resolved.facts)) do
    gives[socket.from] = true
  end
  for _, item in ipairs(plan.env) do gives[item.from] = true end
  for name, grant in pairs(resolved.authorities) do
    if not gives[grant.from] and not resolved.policy.authorities[name].needs_secrets then
      note(grant, 'none of its sockets is there')
    end
  end
  table.sort(out)
  return out
end

--- What is said when a run is over: what was open for a moment, since the host replaced it.
-- @param bounds from doors.run
-- @return list of lines
function M.after(bounds)
  local out, more = {}, 0
  for _, item in ipairs(bounds.weaker) do
    if item.name == 'private' then
      out[#out + 1] = ('%s: not private as asked for: %s'):format(text.visible(item.path or ''),
        item.message)
    elseif item.name == 'replaced' and #out < 3 then
      out[#out + 1] = ('%s: %s'):format(text.visible(item.path), item.message)
    elseif item.name == 'replaced' then
      more = more + 1
    end
  end
  if more > 0 then out[#out + 1] = ('%d more; --bounds FILE lists them'):format(more) end
  return out
end

--- All that is said at the start.
-- @param prepared session with plan, policy, facts and resolved policy
-- @return list of lines
function M.lines(prepared)
  local resolved, plan = prepared.resolved, prepared.plan
  local out = { summary(prepared), open_endpoints(prepared) }
  out[#out + 1] = login_note(resolved)
  for _, list in ipairs { flag_notes(resolved, plan), tree_notes(resolved), open_notes(plan) } do
    table.move(list, 1, #list, #out + 1, out)
  end
  return out
end

return M
