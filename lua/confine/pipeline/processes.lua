-- The /proc that every run has: a procfs of its own, or the host's with its processes covered.

local path = require 'confine.values.path'

local M = {}

--- The links by which a process finds itself, and what of the name behind them is its own.
local OWN = { ['/proc/self'] = '^/proc/%d+', ['/proc/thread-self'] = '^/proc/%d+/task/%d+' }

--- What of a process's folder leads to the same inside: its root and the folder it stands in.
local SAME = { root = true, cwd = true }

--- The name, by its own link, of what a process sees of itself; nil where that leads on to a name
-- that means the same inside.
local function own_name(found, own)
  local pattern, last = OWN[own], found.path
  for _, link in ipairs(found.links) do
    if link:find(pattern .. '/') then last = link end
  end
  local name = last:find(pattern) and last:gsub(pattern, '', 1)
  return name and not SAME[name:match '^/(%a+)$'] and own .. name or nil
end

--- How a path was come by: through a link of the process that looked, or of another.
-- @return what a process sees of itself there, or nil; the link of another process, or nil
local function way_of(found)
  for _, link in ipairs(found.links or {}) do
    if OWN[link] then return own_name(found, link) end
    if link:find '^/proc/%d+/' then return nil, link end
  end
end

--- What a run sees at a path of /proc, or at one that is come by through it.
-- @param found look of the path
-- @return answer as of verdict.file, or nil for all other paths; `by_link` where it is about a link
--   in a process's folder that leads elsewhere
function M.answer(resolved, found)
  local own, other = way_of(found)
  if not (own or other or path.within(found.path, '/proc')) then return nil end
  local out = { thing = found.path, is_made = true }
  local is_fresh = resolved.facts.procfs.mountable == true
  if own then
    out.thing, out.verdict = own, 'private'
    out.reason = 'of the process that looks, which is one of the run'
  elseif other or found.path:find '^/proc/%d+%f[/\0]' then
    out.by_link = other
    out.verdict, out.from = 'hidden', resolved.policy.proc.from
    out.reason = is_fresh and 'each run has a /proc of its own, with its own processes'
      or "the host's processes are covered"
  else
    out.verdict = 'readable'
    out.reason = path.within(found.path, '/proc/sys')
      and "the kernel's settings can be read and not written"
      or is_fresh and "the kernel's, in a /proc of the run's own" or "the kernel's"
  end
  return out
end

return M
