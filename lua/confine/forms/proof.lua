-- One proof of a policy on this host: targets are set up, each probe is tried outside and inside,
-- and each result is held against what `explain` says.

local battery = require 'confine.battery'
local child = require 'confine.doors.child'
local core = require 'confine.core'
local host = require 'confine.battery.host'
local items_of = require 'confine.forms.proof.items'
local private_place = require 'confine.doors.private_place'
local problem = require 'confine.values.problem'
local scenes = require 'confine.forms.proof.scenes'
local session = require 'confine.forms.cli.session'
local setup = require 'confine.forms.proof.setup'
local sweep = require 'confine.battery.sweep'
local unistd = require 'posix.unistd'
local verdict = require 'confine.pipeline.verdict'
local views = require 'confine.views.sockets'

local M = {}

--- The scenes besides the main one.
local OTHERS = { 'terminal', 'apart' }

local function wrong(message, hint)
  return nil, { problem.new { kind = 'proof', message = message, hint = hint } }
end

--- The probe as the command sees it: where the policy hides the program, a copy in the work tree.
local function visible_probe(proof, resolved)
  local judged = verdict.file(resolved, proof.probe).verdict
  if judged ~= 'hidden' and judged ~= 'private' then return proof.probe end
  local copy = proof.place.work .. '/.confine-verify/probe'
  return setup.copy_probe(proof, copy) and copy or proof.probe
end

--- The probes that are asked for: by class, row or name.
local function chosen(probes, only)
  if #only == 0 then return probes end
  local out, wanted = {}, {}
  for _, word in ipairs(only) do wanted[word] = true end
  for _, probe in ipairs(probes) do
    local class = battery.class_of(probe.row)
    if wanted[probe.name] or wanted[probe.row] or wanted[class.name] then out[#out + 1] = probe end
  end
  return out
end

--- Every probe for this policy on this host.
local function all_probes(proof, found)
  local probes = battery.own()
  local rows = views.rows(found.resolved, found.facts.sockets, { owner = function() end,
    user = function() end, look = core.paths.look, is_writable = core.paths.is_writable })
  local own = { proof.place.base }
  for _, list in ipairs { sweep.probes(sweep.refusals(found.resolved.policy), battery.used(probes)),
    host.sockets(rows, own), host.credentials(found.resolved, own) } do
    table.move(list, 1, #list, #probes + 1, probes)
  end
  return probes
end

--- The items by the scene in which they are made; those that cannot be tried are left out.
local function by_scene(items)
  local out = { main = {}, runs = {} }
  for _, name in ipairs(OTHERS) do out[name] = {} end
  for _, item in ipairs(items) do
    local is_run = item.probe.start or item.probe.stubborn
    local list = out[is_run and 'runs' or item.probe.scene or 'main']
    if not item.why then list[#list + 1] = item end
  end
  return out
end

--- Everything between the set-up and the clearing-up.
local function prove(proof, options, only)
  local ok, message = setup.targets(proof)
  if not ok then return wrong(message) end
  proof.fds = setup.descriptors(proof)
  local found, problems = session.resolve(options, true)
  if not found then return nil, problems end
  proof.means = setup.meanings(proof)
  proof.inside_probe = visible_probe(proof, found.resolved)
  local items = items_of.prepare(proof, chosen(all_probes(proof, found), only))
  -- What explain says is asked once the targets stand, as the run will find them.
  found, problems = session.resolve(options, true)
  if not found then return nil, problems end

  local scene = by_scene(items)
  -- Where no procfs can be mounted and bwrap covers each process outside by its number, a run fails
  -- when one ends while it starts: there they go one by one.
  local beside = found.facts.procfs.mountable == true or found.facts.stage == true
  if beside then scenes.start_runs(proof, scene.runs) end
  local done
  done, problems = scenes.main(proof, scene.main, options)
  if not done then return nil, problems end
  for _, name in ipairs(OTHERS) do
    if #scene[name] > 0 then scenes.other(proof, name, scene[name]) end
  end
  for _, item in ipairs(scene.runs) do
    if not beside then scenes.start_runs(proof, { item }) end
    scenes.end_runs(proof, { item })
  end
  local results = {}
  for i, item in ipairs(items) do
    if not item.why then
      items_of.refused_outside(proof, item, item.probe.after, 'afterwards')
    end
    results[i] = items_of.conclude(proof, item, found.resolved)
  end
  return { results = results, bounds = done.bounds, user = found.facts.user,
    uid = found.facts.uid, profiles = found.policy.profiles, kernel = found.facts.kernel }
end

--- Proves a policy.
-- @param options as the parser of a command gives them (policy and layer options), with absolute
--   names of files
-- @param words the same as words of a command line
-- @param only list of classes, rows or probes; empty for all
-- @return { results = list of { class, row, name, title, means, status, why, tries }, bounds, user,
--   uid, profiles, kernel, seconds }, or nil and problems
function M.run(options, words, only)
  local begun = child.now()
  local program = core.paths.look('/proc/self/exe').path
  local probe = setup.find_probe(program)
  if not probe then
    return wrong('confine-probe is not beside the program',
      '`make` builds it, and ./build.sh install puts it into lib/confine-lua')
  end
  local home = os.getenv 'HOME'
  local place, message = private_place.make(home and home:sub(1, 1) == '/' and { home } or {})
  if not place then return wrong(message) end
  local proof = { program = program, probe = probe, place = place, policy_words = words }
  proof.tokens = setup.tokens(proof)
  proof.env = { CONFINE_VERIFY_SECRET = proof.tokens.secret }
  local full = { amend = setup.amend(proof), no_project = true }
  for key, value in pairs(options) do full[key] = value end
  local back = unistd.getcwd()
  unistd.chdir(place.work)
  local ok, result, problems = xpcall(prove, debug.traceback, proof, full, only)
  if proof.owner then proof.owner:finish() end
  if proof.targets then proof.targets:finish() end
  unistd.chdir(back or '/')
  place.janitor:finish()
  if not ok then error(result, 0) end
  if not result then return nil, problems end
  result.seconds = child.now() - begun
  return result
end

return M
