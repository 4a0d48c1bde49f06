-- Protected names below a writable place: readable, not writable or replaceable, also when absent;
-- and the folders of what is refused there.

local bases = require 'confine.pipeline.bases'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local refused = require 'confine.pipeline.refused'
local resolve = require 'confine.pipeline.resolve'
local root = require 'confine.pipeline.root'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- What stands for an absent name: a folder, a socket, or a file with a neutral content.
local function placeholder(entry, where)
  local leaf = where:match('[^/]*$')
  if resolve.is_in(entry.folders, leaf) then return { folder = true } end
  if resolve.is_in(entry.sockets, leaf) then return { socket = true } end
  return { content = entry.content and entry.content[leaf] }
end

--- What an empty folder in a git work tree holds, so that git neither lists nor removes it: not to
-- be removed, it had `git stash -u` and `git clean -d` fail half-way. (`git clean -dx` still does.)
local IGNORED = '*\n'

--- Does git look at a folder as one of a work tree?
local function is_of_work_tree(where, facts)
  return (facts.git_top or root.lists(facts, '.git')) and not where:find '/%.git%f[/\0]'
end

--- Could a command put a link where a line refuses something that is absent, so that what the host
-- makes there later lands elsewhere? No socket is bound through a link. The built-in lines are too
-- many to hold a name for each.
local function is_planted(entry, where, look)
  if look.type ~= 'absent' or look.blocked or bases.is_built_in(entry.from) then return false end
  return entry.verb == 'hide' or refused.missing_part(look, {}) ~= where
end

--- Names that a star before a plain last part protects though they are absent:
-- `.git/modules/*/config` in each module there is.
local function leaves(resolved, add)
  for _, list in pairs(resolved.globs) do
    for _, item in ipairs(list) do
      local folder, leaf = path.split(item.pattern)
      if item.entry.verb == 'protect' and not glob.is_glob(leaf) then
        local there = {}
        for _, look in ipairs(resolved.facts.looks[item.pattern] or {}) do
          there[look.path] = true
        end
        for _, parent in ipairs(resolved.facts.looks[folder] or {}) do
          local where = path.join(parent.path, leaf)
          if parent.type == 'dir' and not there[where] then
            add(where, { path = where, type = 'absent', exists_to = parent.path }, item.entry)
          end
        end
      end
    end
  end
end

--- Adds the protections of a run. Each ancestor up to the writable place is pinned (bound on
-- itself), so that it cannot be renamed away; an absent name whose folder is absent too is that
-- folder, empty.
-- @param ops list to append to
-- @param drawn from pipeline.refused
-- @param resolved resolved policy
function M.draw(ops, drawn, resolved)
  local seen, pinned = {}, {}
  local function pin(area, where, from)
    for _, folder in ipairs(path.between(area.path, where)) do
      if not pinned[folder] then
        pinned[folder] = true
        ops[#ops + 1] = { op = 'bind', path = folder, access = 'rw', type = 'dir', pin = true,
          from = from, why = 'pinned: what is below it is protected or refused' }
      end
    end
  end
  --- Is it to be held? What is hidden as well, as long as it is absent: a command must not make it.
  local function is_held(where, look, entry)
    local judged = verdict.file(resolved, where).verdict
    local is_refused = entry.noun == 'socket'
      and verdict.socket(resolved, where).verdict == 'refused'
    if not is_refused and (judged ~= 'hidden' or look.type ~= 'absent') then
      return judged == 'protected'
    end
    local parent = path.split(refused.missing_part(look, {}))
    return verdict.file(resolved, parent).verdict == 'writable'
  end
  local function add(where, look, entry)
    local area = drawn.area_of(where)
    if seen[where] or not area or not resolve.is_meant(entry, where, look, resolved.facts)
      or not is_held(where, look, entry) then
      return
    end
    seen[where] = true
    local op = { op = 'protect', path = where, type = look.type, from = entry.from,
      area = area.path, why = entry.why }
    local function stand(as)
      op.folder, op.socket, op.content = as.folder, as.socket, as.content
      if op.folder and is_of_work_tree(op.path, resolved.facts) then op.content = IGNORED end
    end
    if look.type == 'absent' then
      op.path = refused.missing_part(look, {})
      if look.blocked then
        -- A file where a folder was looked for, such as the .git of a linked work tree.
        op.type = 'file'
      else
        stand(op.path == where and placeholder(entry, where) or { folder = true })
      end
      if op.path ~= where and seen[op.path] then return end
      seen[op.path] = true
    else
      -- Another run may have put it there, and take it away before we hold it.
      stand(look.type == 'dir' and { folder = true } or placeholder(entry, where))
    end
    pin(area, op.path, entry.from)
    ops[#ops + 1] = op
    -- An empty .git is nothing to git, but go runs git for any .git it finds and fails with it.
    -- Inside, and where no work tree lies above, a repository without commits is seen in its place;
    -- where nothing can be made, nothing need be.
    if look.type == 'absent' and op.folder and op.path == path.join(resolved.facts.root, '.git')
      and not resolved.facts.git_top and resolved.facts.root_is_ours ~= false then
      ops[#ops + 1] = { op = 'skeleton', path = op.path, from = entry.from,
        why = 'an empty repository that cannot be written' }
    end
  end
  for _, name in ipairs(resolved.names) do
    local entry, look = name.entry, name.look
    if entry.verb == 'protect' or is_planted(entry, name.path, look) then
      add(name.path, look, entry)
    end
  end
  leaves(resolved, add)
  -- Under another name of its folder a masked name would show what the host puts there later.
  for _, name in ipairs(drawn.names) do
    local area = name.treatment.how == 'mask' and drawn.area_of((path.split(name.path)))
    if area then pin(area, name.path, name.from) end
  end
  -- A folder between a writable place and another in it could be moved away with all that is held
  -- there, and one of the command's making put in its place.
  for _, item in ipairs(drawn.grants) do
    local parent = path.split(item.path)
    local around = item.is_made and parent and drawn.area_of(parent)
    if around and around.verb == 'write' then pin(around, item.path, item.grant.from) end
  end
  for folder, wanted in pairs(drawn.folders) do
    local area = wanted.mask and wanted.absent and drawn.area_of(folder)
    if area then pin(area, path.join(folder, '?'), 'policies/') end
  end
end

return M
