-- The /dev that every run has: made anew, with harmless devices and those that are granted.

local path = require 'confine.values.path'

local M = {}

--- As the stage and `--dev` of bwrap(1) make it.
local HARMLESS = { null = true, zero = true, full = true, random = true, urandom = true,
  tty = true }
local OWN = { shm = true, pts = true, ptmx = true }
local LINKS = { fd = true, stdin = true, stdout = true, stderr = true, core = true }

--- Does a path name what is made anew?
function M.is_in(where)
  return where:byte(2) == 100 and path.within(where, '/dev')
end

--- Is it a device that no policy can take away?
function M.is_harmless(where)
  return M.is_in(where) and HARMLESS[where:sub(6)] == true
end

--- The grant of a device among some grants, or nil.
-- @param grants list of { grant }
function M.granted(grants)
  for _, item in ipairs(grants) do
    if item.grant.noun == 'device' then return item.grant end
  end
end

--- What a run sees at a path in /dev, or at a device elsewhere that is granted.
-- @param where canonical path
-- @param grants list of { grant } that name it
-- @return verdict and reason as of pipeline.verdict, and the grant of a device
function M.verdict(where, grants)
  local grant = M.granted(grants)
  if grant then return 'writable', 'a device that is granted', grant end
  local first = where:match('^/dev/([^/]+)')
  if where == '/dev' or OWN[first] then return 'private', 'each run has one of its own' end
  if M.is_harmless(where) then return 'writable', 'a harmless device that every run has' end
  if LINKS[where:sub(6)] then return 'readable', 'a link that every run has' end
  return 'hidden', 'each run has a /dev of its own, without it'
end

return M
