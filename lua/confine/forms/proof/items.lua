-- The probes of a proof with what came of them: prepared, given their controls, judged.

local battery = require 'confine.battery'
local core = require 'confine.core'
local explain = require 'confine.views.explain'
local judge = require 'confine.battery.judge'
local private_place = require 'confine.doors.private_place'
local scenes = require 'confine.doors.scenes'
local series = require 'confine.doors.series'
local unistd = require 'posix.unistd'

local M = {}

--- One item for each probe: { probe with its tokens filled in, tries } or { probe, why }.
function M.prepare(proof, probes)
  local out = {}
  for i, probe in ipairs(probes) do
    local folder = ('%s/%d'):format(proof.place.alone, i)
    local scene = probe.scene and proof.place.alone .. '/' .. probe.scene
    proof.tokens.alone = scene or folder
    proof.tokens.terminal = probe.scene == 'terminal' and '{terminal}' or nil
    local filled, why = battery.fill(probe, proof.tokens)
    local item = { probe = filled or probe, why = why, tries = {}, folder = folder,
      key = tostring(i) }
    if filled and (filled.start or filled.stubborn or filled.scene) then
      private_place.folder(scene or folder)
    end
    if filled and filled.setup then
      local ok, message = proof.targets:arrange(filled.setup)
      if not ok then item.why = message end
    end
    for k, attempt in ipairs(battery.attempts(item.probe)) do
      item.tries[k] = { attempt = attempt, key = item.key .. '.' .. k }
    end
    out[i] = item
  end
  return out
end

local PREFIX = { socket = 'unix://', file = 'file:', env = 'env:' }

--- What explain says about the thing that an attempt aims at.
local function ask_explain(resolved, probe, attempt)
  if not probe.names then return nil end
  local thing = attempt[2]
  if thing:sub(1, 1) ~= '@' then thing = PREFIX[probe.names] .. thing end
  return (explain.thing(resolved, thing, core.paths.look))
end

--- The policy line that opens a probe's attempts.
local function opened_by(policy, probe)
  local word = probe.opened_by and policy[probe.opened_by[1]]
  return word and word.value == probe.opened_by[2] and word.from or nil
end

--- The attempts of an item that the control makes, by the keys of its tries.
function M.controls(item, into)
  local control = item.probe.control
  if control == false or (type(control) == 'table' and control.start) then return end
  for _, try in ipairs(item.tries) do
    if control then
      into[#into + 1] = { key = item.key, attempt = control }
      return
    end
    into[#into + 1] = { key = try.key, attempt = try.attempt }
  end
end

--- Gives the findings of controls to the tries.
function M.take_controls(items, found)
  for _, item in ipairs(items) do
    for _, try in ipairs(item.tries) do
      if item.probe.control ~= false then
        try.outside = found[item.probe.control and item.key or try.key] or try.outside
          or series.unavailable 'the control was not made'
      end
    end
  end
end

--- Attempts that must be refused outside, afterwards or meanwhile, as tries of the item.
function M.refused_outside(proof, item, attempts, when)
  local probe = item.probe
  for k, attempt in ipairs(attempts or {}) do
    item.tries[#item.tries + 1] = { attempt = attempt, key = item.key .. when .. k, when = when,
      outside = item.tries[1] and item.tries[1].outside or item.outside, judged_as = 'refused',
      inside = scenes.outside_once(proof, attempt, { cwd = proof.place.work }) }
  end
  if probe.leaves and attempts then os.remove(probe.leaves) end
end

--- Judges an item.
-- @return result { class, row, name, title, means, status, why, tries }
function M.conclude(proof, item, resolved)
  local probe, out = item.probe, {}
  local class = battery.class_of(probe.row)
  local opened = opened_by(resolved.policy, probe)
  for _, try in ipairs(item.tries) do
    local record = try.judged_as and { expects = try.judged_as } or probe
    local shown = { attempt = try.attempt, start = try.start, asks = probe.asks,
      outside = try.outside, inside = try.inside, when = try.when }
    if not try.judged_as then
      shown.answer = ask_explain(resolved, probe, probe.asks or try.attempt)
      shown.opened = opened
    elseif probe.asks then
      local answer = ask_explain(resolved, probe, probe.asks)
      shown.opened = answer.verdict == 'writable' and answer.from or nil
    end
    if item.why then
      shown.status, shown.why = 'unproved', item.why
    elseif probe.unless_root and unistd.geteuid() == 0 then
      shown.status, shown.why = 'unproved', 'root may open every socket'
    else
      shown.status, shown.why = judge.try(record, shown)
    end
    out[#out + 1] = shown
  end
  local status, why = judge.whole(out)
  if item.mute and status == 'refused' then status, why = 'differs', item.mute end
  if item.why then status, why = 'unproved', item.why end
  return { class = class.name, row = probe.row, name = probe.name, title = probe.title,
    means = probe.means or proof.means[(out[1] and out[1].attempt or {})[1]], status = status,
    why = why, tries = out, expects = probe.expects or 'refused' }
end

return M
