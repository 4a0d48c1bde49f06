-- The writable root: which folders may be one.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local resolve = require 'confine.pipeline.resolve'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- Is a name listed in the writable root, whatever it is?
-- @param facts host facts; without what is in the root nothing is
function M.lists(facts, name)
  local inside = (facts.bases or {})[facts.root]
  return inside ~= nil and inside.names ~= nil and inside.names[name] == true
end

--- The refusal by which the writable root is hidden or protected, or nil. That a profile makes the
-- root writable lifts nothing: only a layer's own grant does, or an exception of the refusal.
-- @param verb 'hide' or 'protect'
local function held(resolved, verb)
  local root = resolved.facts.root
  local at = root
  while at do
    for _, entry in ipairs(resolved.files[at] or {}) do
      if entry.verb == verb and verdict.holds(resolved, entry, at, root) then return entry end
    end
    at = path.split(at)
  end
end

--- The line that protects the root in the tree that it is a part of (`.vscode`), or nil. One with a
-- .git of its own is a tree of its own, wherever it lies.
local function protected_above(resolved)
  local facts = resolved.facts
  if M.lists(facts, '.git') then return nil end
  for _, item in ipairs(resolved.grants[facts.root] or {}) do
    if item.grant.verb == 'write' and not item.grant.default then return nil end
  end
  for _, entry in ipairs(resolved.policy.refusals) do
    local is_dotted = entry.verb == 'protect' and entry.thing:find '^%.[^/.]'
    local folder = is_dotted and '/' .. glob.plain(entry.thing) .. '/'
    if folder and (facts.root .. '/'):find(folder, 1, true) then return entry end
  end
end

--- Is the writable root one that can be made writable at all? Nil, or a problem with the remedy; of
-- kind 'capped_root' when a line of the policy takes it away.
function M.problem(resolved)
  local facts = resolved.facts
  local root = facts.root
  local function wrong(message, hint, kind)
    return problem.new { kind = kind or 'bad_root', message = message, hint = hint }
  end
  local shown = text.visible(root)
  local change = 'change into a folder of your work'
  local remedy = change .. ', or name one with --root DIR that contains the current directory'
  -- No other folder contains the one that is too much itself.
  local narrower = facts.cwd == root and change or remedy
  if root == '/' then return wrong('the writable root would be /, the whole host', narrower) end
  for _, home in ipairs(facts.home_folders) do
    if path.within(home, root) then
      return wrong(('the writable root would be %s, which %s your home'):format(shown,
        home == root and 'is' or 'contains'), narrower)
    end
  end
  for _, special in ipairs { '/proc', '/sys', '/dev' } do
    if path.within(root, special) then
      return wrong(('the writable root would be %s, in %s'):format(shown, special), change)
    end
  end
  --- Is the name there, and no socket that another run has put? The look is younger than the
  -- listing, and what that run has put may be gone by then.
  local function has(name)
    local look = (facts.looks[path.join(root, name)] or {})[1]
    return M.lists(facts, name) and not (look and resolve.is_free(look))
  end
  -- Where a commondir is, that of a linked work tree, git looks for objects and refs elsewhere.
  local is_git = has 'commondir' or has 'HEAD' and has 'objects' and has 'refs'
  if is_git or facts.git_folder then
    return wrong(("the writable root %s %s a git repository's own folder: what a command writes "
      .. 'there, git outside would execute'):format(shown, is_git and 'is' or 'lies in'),
      'change into its work tree')
  end
  local hidden = held(resolved, 'hide')
  if hidden then
    return wrong(('the writable root %s is hidden (%s)'):format(shown, hidden.from), remedy,
      'capped_root')
  end
  local protected = held(resolved, 'protect') or protected_above(resolved)
  if protected then
    return wrong(('the writable root %s is protected (%s)'):format(shown, protected.from),
      remedy .. '; --write . makes it writable all the same', 'capped_root')
  end
  if path.within(facts.bwrap.path, root) then
    return wrong(('the bwrap found in PATH lies in the writable root: %s'):format(facts.bwrap.path),
      'the command could replace it; put its folder out of PATH')
  end
end

return M
