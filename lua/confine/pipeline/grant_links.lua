-- Grants that come to what they grant by a link in a place that is written: whoever ran there last
-- may have made it, and would decide what a trusted line means.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local record = require 'confine.pipeline.record'
local resolve = require 'confine.pipeline.resolve'
local survey = require 'confine.pipeline.survey'
local verdict = require 'confine.pipeline.verdict'

local M = {}

local NONE = {}

--- The folders that commands write, in this run or by the same lines in an earlier one: the root,
-- and what is granted to be written.
local function written(resolved)
  local out = { resolved.facts.root }
  for where, items in pairs(resolved.grants) do
    for _, item in ipairs(items) do
      local grant = item.grant
      if grant.noun == 'file' and grant.verb == 'write' and item.look.type == 'dir' then
        out[#out + 1] = where
      end
    end
  end
  return path.sort(out)
end

--- In these no command can make a link, though a place around them is written.
local SHUT = { hidden = true, protected = true }

--- The first of some links that lies in such a place and leads out of every such place around it;
-- and, where none does, the place around one that stays within.
local function leading_out(resolved, links, target, places)
  local around
  for _, link in ipairs(links or NONE) do
    local is_in, stays = false, nil
    if SHUT[verdict.file(resolved, (path.split(link))).verdict] then goto continue end
    for _, place in ipairs(places) do
      if path.below(link, place) then
        is_in = true
        if path.within(target, place) then stays = place end
      end
    end
    if is_in and not stays then return link end
    around = around or stays and { link = link, place = stays }
    ::continue::
  end
  return nil, around
end

--- Would a grant there lift what is refused by default within the place? The command cannot write
-- that itself, but may have made a link to it (`out` -> `.git/hooks`).
local function lifts(resolved, grant, look, place)
  if grant.noun == 'socket' then
    return #verdict.socket_refusals(resolved, look.path, resolve.identity(look)) > 0
  end
  local at = look.path
  while at and path.below(at, place) do
    if resolved.files[at] or #resolve.globs_over(resolved, at) > 0 then return true end
    at = path.split(at)
  end
  return false
end

--- The links on the way to what a thing names before its `..`, which its looks no longer tell.
local function climbed(thing, facts)
  if not thing:find('..', 1, true) then return NONE end
  local out = {}
  for _, item in ipairs(path.expand(thing, setmetatable({ looks = false }, { __index = facts }))) do
    for _, look in ipairs(facts.looks[path.climb(item)] or NONE) do
      table.move(look.links or NONE, 1, #(look.links or NONE), #out + 1, out)
    end
  end
  return out
end

local LED = '%s comes by the link %s, which a command may have made, to %s'

--- The grants of paths that a link leads elsewhere.
-- @param wrong function(grant, what is shown of it, link, target, hint)
local function judge_paths(resolved, places, wrong)
  local facts = resolved.facts
  for _, grant in ipairs(resolved.policy.grants) do
    local is_path = grant.noun == 'file' or grant.noun == 'socket' or grant.noun == 'device'
    -- Private places hand nothing out, and caches are often links to another disk; but who asks for
    -- one on the command line means that very place.
    local is_harmless = grant.verb == 'private' and grant.layer ~= 'command line'
    local is_judged = is_path and not is_harmless and grant.thing:byte(1) ~= 64
    local before = is_judged and climbed(grant.thing, facts)
    for _, look in ipairs(is_judged and survey.names(grant.thing, facts) or NONE) do
      local links = table.move(before, 1, #before, 1, {})
      table.move(look.links or NONE, 1, #(look.links or NONE), #links + 1, links)
      local link, around = leading_out(resolved, links, look.path, places)
      if not link and around and lifts(resolved, grant, look, around.place) then
        link = around.link
      end
      if link then
        wrong(grant, ("%s.%s '%s'"):format(grant.noun, grant.verb, grant.thing), link, look.path,
          ('name %s itself, if that is meant'):format(look.path))
      end
    end
  end
end

--- The grants of authorities whose socket would be found by such a link.
local function judge_authorities(resolved, places, wrong)
  local facts = resolved.facts
  local function judge(grant, shown, look)
    local link = look and look.type == 'socket'
      and leading_out(resolved, look.links, look.path, places)
    if link then
      wrong(grant, shown, link, look.path,
        ('let %s be %s itself, if that is meant'):format(shown, look.path))
    end
  end
  for name, grant in pairs(resolved.authorities) do
    for _, item in ipairs(facts.endpoints or NONE) do
      if item.authority == name and not item.untrusted then
        judge(grant, '$' .. item.variable, item.look)
      end
    end
    for thing in record.things(resolved.policy.authorities[name], 'sockets', true) do
      for _, look in ipairs(survey.names(thing, facts)) do judge(grant, thing, look) end
    end
    for _, item in ipairs(resolved.owned) do
      if item.authority == name and not item.untrusted then
        judge(grant, glob.plain(item.thing), survey.names(item.thing, facts)[1])
      end
    end
  end
end

--- The problems of such grants, with which no run starts.
-- @param resolved policy whose daemons are known (pipeline.owners)
-- @return list of problems, or nil
function M.problems(resolved)
  local out, seen, places = {}, {}, written(resolved)
  local function wrong(grant, shown, link, target, hint)
    local message = LED:format(shown, link, target)
    local key = (grant.from or '') .. '\0' .. message
    if seen[key] then return end
    seen[key] = true
    out[#out + 1] = problem.new { kind = 'led_grant', word = grant.noun .. '.' .. grant.verb,
      from = grant.from, message = message, hint = hint }
  end
  judge_paths(resolved, places, wrong)
  judge_authorities(resolved, places, wrong)
  table.sort(out, function(one, other)
    if one.message ~= other.message then return one.message < other.message end
    return (one.from or '') < (other.from or '')
  end)
  return #out > 0 and out or nil
end

return M
