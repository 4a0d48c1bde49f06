-- Proves what `explain` says of one thing: the attempt is made outside and inside, by the plan that
-- a run here would have.

local core = require 'confine.core'
local judge = require 'confine.battery.judge'
local problem = require 'confine.values.problem'
local protocols = require 'confine.battery.protocols'
local scenes = require 'confine.doors.scenes'
local session = require 'confine.forms.cli.session'
local setup = require 'confine.forms.proof.setup'
local verdict = require 'confine.pipeline.verdict'
local views = require 'confine.views.sockets'

local M = {}

--- A name in a folder that nobody else has.
local NEW = '.confine-probe-'

--- The attempts for what explain answered about, by its kind.
-- @return list of attempts; empty where nothing can be tried
local function attempts_for(answer, resolved)
  local thing = answer.thing
  if answer.kind == 'env' then return { { 'variable', thing:sub(5) } } end
  if answer.kind == 'socket' or answer.kind == 'abstract socket' then
    return { { protocols.of(answer.authority, thing), thing } }
  elseif answer.kind == 'dir' then
    return { { 'list', thing }, { 'create', thing .. '/' .. NEW .. core.host.ids().uid } }
  elseif answer.kind == 'file' then
    return { { 'read', thing }, { 'write', thing } }
  elseif answer.kind == 'authority' then
    local out = {}
    local rows = views.rows(resolved, resolved.facts.sockets, { owner = function() end,
      user = function() end, look = core.paths.look, is_writable = core.paths.is_writable })
    for _, row in ipairs(rows) do
      if row.authority == answer.authority and not row.gone then
        out[#out + 1] = { protocols.of(row.authority, row.name), row.name,
          claim = row.verdict == 'reachable' and 'reached' or 'refused' }
      end
    end
    return out
  end
  return { { 'read', thing } }
end

--- Makes one attempt inside.
-- @return finding, or nil and problems
local function inside(options, probe, attempt)
  local prepared, problems = session.plan(options, { probe, 'try', table.unpack(attempt) })
  if not prepared then return nil, problems end
  local done, message = scenes.by_plan(prepared, {})
  if not done then return nil, { problem.new { kind = 'proof', message = message } } end
  return done.findings[''] or { result = 'unavailable', errno = '', detail = 'no answer' }
end

--- Proves an answer of explain.
-- @param answer from views.explain
-- @param resolved resolved policy
-- @param options of the command, for the plan
-- @return list of { attempt, outside, inside, status, why }, or nil and problems
function M.thing(answer, resolved, options)
  local probe = setup.find_probe(core.paths.look('/proc/self/exe').path)
  if not probe then
    return nil, { problem.new { kind = 'proof', message = 'confine-probe is not beside the program',
      hint = '`make` builds it, and ./build.sh install puts it into lib/confine-lua' } }
  end
  local hidden = verdict.file(resolved, probe)
  if hidden.verdict == 'hidden' or hidden.empty then
    return nil, { problem.new { kind = 'proof', from = hidden.from,
      message = probe .. ' does not show inside, so nothing can be tried there',
      hint = 'install the program, or move it to where it shows' } }
  end
  local out = {}
  for i, attempt in ipairs(attempts_for(answer, resolved)) do
    local claim = attempt.claim or judge.claim(attempt, answer)
    local try = { attempt = attempt, outside = scenes.outside_try(probe, attempt) }
    -- What does not speak as expected is asked for a connection.
    if try.outside.detail:find '^connected, but' then
      attempt[1] = 'connect'
      try.outside = scenes.outside_try(probe, attempt)
    end
    local problems
    try.inside, problems = inside(options, probe, attempt)
    if not try.inside then return nil, problems end
    try.status, try.why = judge.claimed(claim, try)
    out[i] = try
  end
  return out
end

return M
