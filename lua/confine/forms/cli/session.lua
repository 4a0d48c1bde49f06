-- What every command does first: the caller, the policies, the host; one way, so all answer alike.

local assemble = require 'confine.pipeline.assemble'
local core = require 'confine.core'
local endpoints = require 'confine.endpoints'
local facts_door = require 'confine.doors.facts'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local sources = require 'confine.doors.sources'
local text = require 'confine.values.text'

local M = {}

--- Declares the option that chooses a policy.
function M.policy_option(option)
  option('-p --policy', 'policy',
    'A profile by name, or a policy file (with a slash or .lua). May be repeated.'):count '*'
end

--- Declares the options that choose a policy and a writable root.
function M.policy_options(parser, option)
  M.policy_option(option)
  option('--root', 'dir',
    'The writable root; it contains the current directory, which is the default.')
  parser:flag '--no-project':description 'Do not read .confine.lua of the writable root.'
end

--- Declares the flags that form a trusted layer of their own.
function M.layer_options(_, option)
  option('--write', 'path', 'Make a path writable.'):count '*'
  option('--read', 'path', 'Show what is hidden by default.'):count '*'
  option('--hide', 'path', 'Hide a file or folder.'):count '*'
  option('--private', 'path', 'Writes to it go to a layer that is thrown away.'):count '*'
  option('--env', 'name', 'Pass a variable on.'):count '*'
  option('--grant', 'authority', 'Grant an authority by name.'):count '*'
  option('--socket', 'path', 'Grant one socket.'):count '*'
  option('--net', 'value', 'none or host.'):count '?'
end

local FLAGS = {
  { option = 'write', word = 'file.write' }, { option = 'read', word = 'file.read' },
  { option = 'hide', word = 'file.hide' }, { option = 'private', word = 'file.private' },
  { option = 'env', word = 'env.allow' }, { option = 'grant', word = 'authority.grant' },
  { option = 'socket', word = 'socket.grant' },
}

--- The file or folder that a flag names, as a policy writes it. On a command line a relative name
-- is relative to where one stands, and a name with characters of patterns means itself where it is
-- there (`[id]`), or where the word takes no patterns.
local function file_of(value, flag, cwd)
  local home, rest = value:match '^(~)(/.*)$'
  local whole = (home or value:find '^[/~]') and value or path.join(cwd, value)
  local is_pattern = flag.word == 'file.hide'
  if whole:byte(1) == 126 then
    return home and not is_pattern and home .. glob.literal(rest) or value
  end
  local look = core.paths.look(whole)
  if not is_pattern or (look and look.type ~= 'absent') then return glob.literal(whole) end
  return value:byte(1) == 47 and value or path.join(glob.literal(cwd), value)
end

--- The flags as raw statements.
local function flag_statements(options, cwd)
  local out = {}
  for _, flag in ipairs(FLAGS) do
    for _, value in ipairs(options[flag.option] or {}) do
      if type(value) == 'table' then value = value[1] end
      local thing = value
      if flag.word:find '^file' and value:byte(1) ~= 36 then thing = file_of(value, flag, cwd) end
      out[#out + 1] = { word = flag.word, args = { thing },
        from = ('--%s %s'):format(flag.option, text.visible(value)) }
    end
  end
  local net = options.net
  if net then
    if type(net) == 'table' then net = net[#net] end
    out[#out + 1] = { word = 'net', args = { net }, from = '--net ' .. text.visible(net) }
  end
  return out
end

--- A flag of paths or names that was given nothing, as by a script's unset variable; nil for none.
local function empty_flag(options)
  if options.root == '' then return 'root' end
  for _, flag in ipairs(FLAGS) do
    for _, value in ipairs(options[flag.option] or {}) do
      if (type(value) == 'table' and value[1] or value) == '' then return flag.option end
    end
  end
end

--- Reads the caller and the policies, and merges them.
-- @param options { policy, root, no_project, write, hide, ... } as the parser gives them; amend =
--   function(facts) that adds to what was read of the caller, or nil; at = the folder to stand in,
--   nil for the current directory
-- @return { facts, input, policy, warnings }, or nil and problems
function M.policy(options)
  local empty = empty_flag(options)
  if empty then
    return nil, { problem.new { kind = 'empty_flag', message = ('--%s names nothing'):format(empty),
      hint = 'its value is empty; is a variable of the calling script not set?' } }
  end
  local facts, wrong = facts_door.caller { root = options.root, at = options.at }
  if not facts then return nil, wrong end
  if options.amend then options.amend(facts) end
  local policies = {}
  for _, item in ipairs(options.policy or {}) do
    policies[#policies + 1] = type(item) == 'table' and item[1] or item
  end
  local input, problems = sources.read(facts, { policies = policies,
    flags = flag_statements(options, facts.cwd), project = not options.no_project })
  local policy, complaints, warnings = assemble.policy(input, facts, endpoints.find)
  for _, item in ipairs(complaints) do problems[#problems + 1] = item end
  if #problems > 0 then return nil, problems end
  if policy.net.value == 'host' then facts_door.ports(facts) end
  return { facts = facts, input = input, policy = policy, warnings = warnings }
end

--- Completes a session that only judges its policy: a `..` in it means what the host says.
function M.climb(session)
  assemble.climb(session.policy, session.facts, facts_door)
end

--- Completes a session with the host, up to a resolved policy.
-- @param session from M.policy
-- @param whole boolean: with every name of the built-in records, also those that cannot be there
-- @return the session with `resolved`, or nil and problems
local function complete(session, whole)
  local ok, problems = facts_door.host(session.facts)
  if not ok then return nil, problems end
  session.resolved, problems = assemble.complete(session.policy, session.facts, facts_door, whole)
  if not session.resolved then return nil, problems end
  return session
end

--- Makes the plan of a session from M.policy.
local function with_plan(session, command)
  local ok, problems = complete(session)
  if not ok then return nil, problems end
  local plan, complaints = assemble.plan(session.policy, session.facts, command, session.resolved)
  if not plan then return nil, complaints end
  session.plan = plan
  return session
end

--- Reads the policies and completes the session with the host, up to a resolved policy.
-- @param options as for M.policy
-- @param whole boolean: with every name of the built-in records, also those that cannot be there
-- @return the session with `resolved`, or nil and problems
function M.resolve(options, whole)
  local session, problems = M.policy(options)
  if not session then return nil, problems end
  return complete(session, whole)
end

--- Reads the policies and completes the session up to a plan.
-- @param options as for M.policy
-- @param command list of strings
-- @return the session with `plan` and `resolved`, or nil and problems
function M.plan(options, command)
  local session, problems = M.policy(options)
  if not session then return nil, problems end
  return with_plan(session, command)
end

--- What would keep every run with a policy from starting here.
-- @param session from M.policy; it is completed as far as it goes
-- @return list of problems
function M.refusals(session)
  local planned, problems = with_plan(session, { 'true' })
  return planned and {} or problems
end

return M
