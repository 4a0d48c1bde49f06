-- The library for specs and scripts: asks about a policy on this host what the commands ask.

local check = require 'confine.forms.cli.check'
local core = require 'confine.core'
local explain = require 'confine.views.explain'
local problem = require 'confine.values.problem'
local session = require 'confine.forms.cli.session'

local M = {}

--- Options as the commands take them, from those of a caller.
-- @param options { policy = one profile or policy file or a list of them, root = folder,
--   project = false to leave .confine.lua out } or nil
local function as_flags(options)
  options = options or {}
  local policies = options.policy
  if type(policies) == 'string' then policies = { policies } end
  return { policy = policies, root = options.root, no_project = options.project == false }
end

--- Problems as messages, each with its file and line and the remedy.
local function texts(problems)
  local out = {}
  for i, item in ipairs(problems) do out[i] = problem.text(item) end
  return out
end

--- Tells what holds for one thing, as `confine-lua explain THING` does.
-- @param thing string: /path, file:/path, @abstract, unix:///path, env:NAME or authority:NAME
-- @param options as above; without a policy, those that always apply
-- @return { thing, kind, verdict, reason, from, why, ... }, or nil and a message
function M.explain(thing, options)
  local prepared, problems = session.resolve(as_flags(options), true)
  if not prepared then return nil, table.concat(texts(problems), '\n') end
  return explain.thing(prepared.resolved, thing, core.paths.look)
end

--- Loads policies and judges them, as `confine-lua check FILE...` does.
-- @param options as above
-- @return list of problems (empty when the policies are sound), list of warnings; both of messages
function M.check(options)
  local read, problems = session.policy(as_flags(options))
  if not read then return texts(problems), {} end
  local found, warnings = check.judge(read, options and options.root ~= nil)
  return texts(found), texts(warnings)
end

return M
