-- plan = assemble(facts, layers): the one way from policies and host to a plan, for every command.

local aliases = require 'confine.pipeline.aliases'
local catalog = require 'confine.pipeline.catalog'
local emptied = require 'confine.pipeline.emptied'
local endpoints = require 'confine.pipeline.endpoints'
local git_config = require 'confine.pipeline.git_config'
local glob = require 'confine.values.glob'
local grant_links = require 'confine.pipeline.grant_links'
local granted_trees = require 'confine.pipeline.granted_trees'
local led_out = require 'confine.pipeline.led_out'
local links = require 'confine.pipeline.links'
local logins = require 'confine.pipeline.logins'
local merge = require 'confine.pipeline.merge'
local misplaced = require 'confine.pipeline.misplaced'
local owners = require 'confine.pipeline.owners'
local plan = require 'confine.pipeline.plan'
local refused = require 'confine.pipeline.refused'
local resolve = require 'confine.pipeline.resolve'
local shut = require 'confine.pipeline.shut'
local survey = require 'confine.pipeline.survey'
local unlisted = require 'confine.pipeline.unlisted'
local view = require 'confine.pipeline.view'

local M = {}

--- Merges what the sources read, with the environment's endpoints refused.
-- @param input from doors.sources.read
-- @param facts host facts
-- @param reader function(kind) -> endpoint reader or nil
-- @return policy, list of problems, list of warnings
function M.policy(input, facts, reader)
  local policy, problems = merge.merge(input)
  local found, warnings = endpoints.read(policy, facts, reader)
  facts.endpoints, facts.unread = found, warnings
  return endpoints.refuse(policy, found), problems, warnings
end

--- Completes the facts with the folders that a `..` in the policy or in the environment leads to.
-- @param door doors.facts, or anything with look
-- @return the facts, or nil and problems
function M.climb(policy, facts, door)
  local more = git_config.climbs(facts)
  for base in pairs(policy.catalog and policy.catalog.bases or {}) do more[#more + 1] = base end
  local climbs = survey.climbs(policy, facts, more)
  if #climbs.patterns == 0 then return facts end
  return door.look(facts, climbs.patterns, climbs)
end

--- Completes the facts with the repositories that belong to granted folders.
local function with_granted(policy, facts, door)
  local folders = granted_trees.folders(policy, facts)
  if #folders == 0 then return facts end
  local ok, wrong = door.git_granted(facts, folders)
  if not ok then return nil, wrong end
  return M.climb(policy, facts, door)
end

--- Takes in from the catalog what this host needs: all of it where a person asks, else what begins
-- with a name that is there.
-- @return a policy with these refusals, and the absent names; or nil and problems
local function with_catalog(policy, facts, door, whole)
  if not policy.catalog then return policy, {} end
  local picked, absent
  local ways, has_star = catalog.ways(policy, facts)
  door.bases(facts, catalog.folders(policy.catalog, facts))
  if #ways > 0 then
    local ok, wrong = door.look(facts, ways)
    if not ok then return nil, wrong end
  end
  local granted, wrong = with_granted(policy, facts, door)
  if not granted then return nil, wrong end
  if whole or has_star or aliases.shows_part(facts) then
    picked, absent = catalog.all(policy.catalog), {}
  else
    picked, absent = catalog.pick(policy, facts)
  end
  local out = {}
  for key, value in pairs(policy) do out[key] = value end
  for _, entry in ipairs(policy.refusals) do picked[#picked + 1] = entry end
  for _, entry in ipairs(git_config.refusals(facts)) do picked[#picked + 1] = entry end
  for _, entry in ipairs(granted_trees.refusals(policy, facts)) do picked[#picked + 1] = entry end
  out.refusals = picked
  return out, absent
end

--- Hides folders that cannot be searched now and could be later.
local function with_shut(resolved, door)
  local unseen = shut.unseen(resolved)
  if #unseen > 0 then shut.hide(resolved, door.folders_of(unseen)) end
end

--- Refuses what lies where a command sees the host's sockets, where none is reachable that no list
-- names.
local function with_unlisted(resolved, door)
  local open = unlisted.open_places(resolved)
  if #open == 0 then return true end
  local found, cuts = door.sockets_in(open)
  if not found then return nil, cuts end
  unlisted.close(resolved, found, cuts)
  return true
end

--- Protects what links in protected folders lead to.
local function with_led_out(resolved, door)
  local folders, names = led_out.folders(resolved)
  if #folders == 0 then return end
  local found, cut = door.led_out(folders)
  led_out.refuse(resolved, names, found, cut)
end

--- Hides the settings in which a login stands.
local function with_logins(resolved, door)
  local facts = resolved.facts
  local patterns, list = logins.patterns(resolved.policy, facts)
  local ok, wrong = door.look(facts, patterns)
  if not ok then return nil, wrong end
  local files, unseen = logins.files(facts, list)
  shut.hide(resolved, door.folders_of(unseen))
  logins.refuse(resolved, files, door.text)
  logins.tell(resolved)
  return true
end

--- Refuses the other names of what is refused.
local function with_links(resolved, door)
  local held, names = links.held_folders(resolved)
  local inside, complaint = {}, nil
  if #held > 0 then inside, complaint = door.several(held) end
  if not inside then return nil, complaint end
  for _, search in ipairs(links.searches(resolved, links.wanted(resolved, inside, names))) do
    local found, wrong = door.links(search.wanted, search.folders)
    if not found then return nil, wrong end
    links.refuse(resolved, search, found)
  end
  return true
end

local function set_of_paths(list)
  local out = {}
  for _, item in ipairs(list) do out[item.path] = true end
  return out
end

--- Completes the facts for a policy through a door, in the order in which one answer leads to the
-- next question: names, daemons, live sockets, then folders to shadow, then sockets to put back.
-- @param door doors.facts, or anything with bases, look, git_granted, holders, led_out, links,
--   sockets_in, text, folders_of, several, list, keep_sockets and control_group
-- @param whole boolean: look at every name of the built-in records, not only at those that can be
--   there
-- @return the resolved policy, or nil and problems
function M.complete(policy, facts, door, whole)
  local ok, wrong = M.climb(policy, facts, door)
  if not ok then return nil, wrong end
  local absent
  policy, absent = with_catalog(policy, facts, door, whole)
  if not policy then return nil, absent end
  for _, search in ipairs(survey.searches(policy, facts)) do
    ok, wrong = door.look(facts, search.patterns, search)
    if not ok then return nil, wrong end
  end
  for _, item in ipairs(facts.endpoints) do
    if item.path then item.look = survey.names(glob.literal(item.path), facts)[1] end
  end
  local resolved = resolve.resolve(policy, facts, absent)
  aliases.refuse(resolved)
  wrong = misplaced.problems(resolved)
  if wrong then return nil, wrong end
  with_shut(resolved, door)
  ok, wrong = emptied.settle(resolved)
  if not ok then return nil, wrong end
  ok, wrong = owners.refuse(resolved, door, whole)
  if not ok then return nil, wrong end
  wrong = grant_links.problems(resolved)
  if wrong then return nil, wrong end
  ok, wrong = with_unlisted(resolved, door)
  if not ok then return nil, wrong end
  ok, wrong = with_logins(resolved, door)
  if not ok then return nil, wrong end
  with_led_out(resolved, door)
  ok, wrong = with_links(resolved, door)
  if not ok then return nil, wrong end
  aliases.refuse(resolved)
  ok, wrong = door.look(facts, refused.bound(resolved))
  if not ok then return nil, wrong end
  -- Of the sockets of granted authorities these are put back into hidden folders, and below those
  -- that are put back into private places.
  resolved.exposed = set_of_paths(view.granted_sockets(resolved, facts))
  facts.kept_sockets = {}
  door.list(facts, view.folders(resolved))
  ok, wrong = door.look(facts, unlisted.unjudged(resolved))
  if not ok then return nil, wrong end
  door.keep_sockets(facts, view.private_places(resolved), view.SOCKET_BUDGET * 4)
  resolved.kept = set_of_paths(facts.kept_sockets)
  if policy.limit.memory or policy.limit.pids then door.control_group(facts) end
  return resolved
end

--- Builds the plan from complete facts.
M.plan = plan.build

return M
