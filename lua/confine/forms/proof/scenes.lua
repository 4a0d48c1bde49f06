-- The scenes of a proof: which attempts are made where, and who is asked to change what meanwhile.

local battery = require 'confine.battery'
local fcntl = require 'posix.fcntl'
local items_of = require 'confine.forms.proof.items'
local private_place = require 'confine.doors.private_place'
local problem = require 'confine.values.problem'
local scenes = require 'confine.doors.scenes'
local series = require 'confine.doors.series'
local session = require 'confine.forms.cli.session'
local setup = require 'confine.forms.proof.setup'
local stat = require 'posix.sys.stat'
local unistd = require 'posix.unistd'

local M = {}

--- Real sockets that do not speak what was expected are tried by a connect.
local function fall_back(items)
  for _, item in ipairs(items) do
    for _, try in ipairs(item.tries) do
      if item.probe.or_connect and try.outside and try.outside.detail:find '^connected' then
        try.attempt = { 'connect', try.attempt[2] }
      end
    end
  end
end

local function is_dynamic(probe)
  return probe.change ~= nil or probe.meanwhile ~= nil
end

--- The attempts of the main scene, in order, and what is to be done outside between them.
-- @return orders, list of { item, go, done }
local function orders_of_main(proof, items)
  local orders, calls = {}, {}
  local meet = private_place.folder(proof.place.work .. '/.confine-verify')
  for _, item in ipairs(items) do
    local probe = item.probe
    if not is_dynamic(probe) then
      for _, try in ipairs(item.tries) do
        orders[#orders + 1] = { key = try.key, attempt = try.attempt, mode = probe.mode }
      end
    end
  end
  for _, item in ipairs(items) do
    local probe = item.probe
    if is_dynamic(probe) then
      local call = { item = item, go = ('%s/%s.go'):format(meet, item.key),
        done = ('%s/%s.done'):format(meet, item.key) }
      calls[#calls + 1] = call
      -- Without a mode of its own the attempt goes on all through the change.
      local is_through = not probe.mode and not probe.meanwhile
      orders[#orders + 1] = { key = 'call',
        attempt = is_through and { 'ask', call.go } or { 'await', call.go, call.done } }
      for _, try in ipairs(item.tries) do
        orders[#orders + 1] = { key = try.key, attempt = try.attempt,
          mode = is_through and 'through:' .. call.done or probe.mode }
      end
    end
  end
  return orders, calls
end

--- Does what the command asked for, and makes the control.
local function answer(proof, call)
  local item = call.item
  local ok, message = proof.targets:arrange(item.probe.change or {})
  if not ok then item.why = message end
  if item.probe.change then
    local list = {}
    items_of.controls(item, list)
    items_of.take_controls({ item }, scenes.outside(proof, list))
  end
  items_of.refused_outside(proof, item, item.probe.meanwhile, 'meanwhile')
  private_place.file(call.done, '')
end

--- The main scene: all attempts by one command under the plan.
-- @return bounds, or nil and a message
function M.main(proof, items, options)
  local list = {}
  for _, item in ipairs(items) do
    if not item.probe.change then items_of.controls(item, list) end
  end
  local still = {}
  for _, item in ipairs(items) do
    if not item.probe.change then still[#still + 1] = item end
  end
  items_of.take_controls(still, scenes.outside(proof, list, { fds = proof.fds }))
  fall_back(still)
  local orders, calls = orders_of_main(proof, items)
  local file = proof.place.work .. '/.confine-verify/list'
  private_place.file(file, series.text(orders))
  local prepared, problems = session.plan(options, { proof.inside_probe, 'series', file, '-' })
  if not prepared then return nil, problems end
  local launcher
  local done, message = scenes.by_plan(prepared, { fds = proof.fds, env = proof.env,
    cwd = proof.place.work,
    started = function(process)
      launcher = process.pid
      proof.place.janitor:note('kill', launcher)
    end,
    attend = function()
      for _, call in ipairs(calls) do
        if not call.made and stat.stat(call.go) then
          call.made = true
          answer(proof, call)
        end
      end
    end })
  proof.place.janitor:note('over', launcher)
  proof.targets:settle()
  if not done then return nil, { problem.new { kind = 'proof', message = message } } end
  for _, item in ipairs(items) do
    for _, try in ipairs(item.tries) do
      try.inside = try.inside or done.findings[try.key]
        or series.unavailable 'the attempt was not made'
    end
  end
  return done
end

local SCENES = {}

function SCENES.terminal(proof, items, folder)
  local function orders(name)
    local list = {}
    for _, item in ipairs(items) do
      for _, try in ipairs(item.tries) do
        list[#list + 1] = { key = try.key,
          attempt = battery.fill(try.attempt, { terminal = name }) }
      end
    end
    return list
  end
  local outside, inside = scenes.terminal(proof, folder, orders)
  if not outside then return nil, inside end
  return outside, inside
end

function SCENES.apart(proof, items, folder)
  local before, within = {}, {}
  for _, item in ipairs(items) do
    items_of.controls(item, before)
    for _, try in ipairs(item.tries) do
      within[#within + 1] = { key = try.key, attempt = try.attempt, mode = item.probe.mode }
    end
  end
  local endpoint = 'unix://' .. proof.place.apart .. '/first/engine.sock'
  return scenes.apart(proof, folder, before, within,
    { [proof.variable or 'DOCKER_HOST'] = endpoint })
end

--- A scene of its own by the command line.
function M.other(proof, name, items)
  local outside, inside = SCENES[name](proof, items, proof.place.alone .. '/' .. name)
  if outside and inside then
    items_of.take_controls(items, outside)
    for _, item in ipairs(items) do
      for _, try in ipairs(item.tries) do
        try.inside = inside[try.key] or series.unavailable 'the attempt was not made'
      end
    end
    return
  end
  for _, item in ipairs(items) do item.why = tostring(inside) end
end

--- The control of a run of its own: another run, an attempt, or its words without confinement.
local function control_of_run(proof, item)
  local control, folder = item.probe.control, item.folder
  if not control then
    local attempt = { 'run', table.unpack(item.probe.start.argv) }
    return scenes.outside_once(proof, attempt, { cwd = folder })
  elseif not control.start then
    local input = item.probe.control_stdin
    local fds = input and { [0] = fcntl.open(input, fcntl.O_RDONLY | fcntl.O_CLOEXEC) }
    local finding = scenes.outside_once(proof, control, { cwd = folder, fds = fds })
    if fds then unistd.close(fds[0]) end
    return finding
  end
  -- Many have the same one, a run without a fault.
  local words = not control.start.policy and table.concat(control.start.argv, '\0')
  local known = words and proof.started[words]
  if not known then
    known = scenes.ended(proof, scenes.start(proof, folder, control.start))
    if words then proof.started[words] = known end
  end
  return known
end

--- Starts the runs of their own by the command line, all at once, each after its control.
function M.start_runs(proof, items)
  proof.started = proof.started or {}
  for _, item in ipairs(items) do
    local probe = item.probe
    local try = { key = item.key .. '.1', start = probe.start }
    item.tries = { try }
    if probe.stubborn then
      item.word = 'stubborn-' .. setup.random_word()
      try.attempt = { 'search-cmdline', battery.hex(item.word) }
      try.outside = scenes.outlives(proof, item.folder, 'stubborn-' .. setup.random_word(),
        battery.hex)
      item.run, item.why = scenes.start_stubborn(proof, item.folder, probe.stubborn, item.word)
    else
      try.attempt = probe.start.argv
      try.outside = control_of_run(proof, item)
      item.run = scenes.start(proof, item.folder, probe.start)
    end
  end
end

--- Waits for the runs and takes what came of them.
function M.end_runs(proof, items)
  for _, item in ipairs(items) do
    local probe, try = item.probe, item.tries[1]
    if item.run and probe.stubborn then
      try.inside = scenes.survivors(proof, item.run, probe.stubborn, item.word, battery.hex)
    elseif item.run then
      try.inside = scenes.ended(proof, item.run)
      if probe.says and try.inside.result == 'refused'
        and not (try.inside.said or ''):find(probe.says, 1, true) then
        item.mute = 'the refusal does not tell: ' .. probe.says
      end
    end
  end
end

return M
