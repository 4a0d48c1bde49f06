-- Endpoints that the launcher's environment names: each is refused like the names of its record.

local glob = require 'confine.values.glob'
local problem = require 'confine.values.problem'
local text = require 'confine.values.text'

local M = {}

--- Reads every variable that an authority's record names. Of one that only the command's own policy
-- names a socket that is there counts, and nothing is told: else a line of it would show what any
-- variable holds.
-- @param policy merged policy (its authorities)
-- @param facts host facts (env, uid, home, runtime_dir)
-- @param reader function(kind) -> endpoint reader { read = function(value, facts) } or nil
-- @return list of { authority, variable, untrusted, path | abstract | tcp | ... } and a list of
--   problems with what could not be read, in whole or in part
function M.read(policy, facts, reader)
  local out, problems = {}, {}
  local function complain(variable, how, complaint)
    problems[#problems + 1] = problem.new { kind = 'unread_endpoint',
      from = 'environment: ' .. variable, message = how .. text.cut(complaint, 120) }
  end
  for _, name in ipairs(policy.authority_names) do
    local authority = policy.authorities[name]
    local variables = {}
    for variable in pairs(authority.env) do variables[#variables + 1] = variable end
    table.sort(variables)
    for _, variable in ipairs(variables) do
      local value, first = facts.env[variable], authority.env[variable]
      for _, said in ipairs(value and value ~= '' and { first, table.unpack(first.others or {}) }
        or {}) do
        -- A kind is loaded when something is to be read with it.
        local kind = reader(said.kind)
        local found, complaint
        if kind then found, complaint = kind.read(value, facts) end
        if said.untrusted then
          found = found or {}
        elseif kind and not found then
          complain(variable, 'cannot be read: ', complaint)
        elseif complaint then
          complain(variable, 'is read only in part: ', complaint)
        end
        for _, endpoint in ipairs(found or {}) do
          local item = { authority = name, variable = variable, untrusted = said.untrusted }
          for key, part in pairs(endpoint) do item[key] = part end
          if item.path or not said.untrusted then out[#out + 1] = item end
        end
      end
    end
  end
  return out, problems
end

--- Does an endpoint lead over a network, or anywhere but to a socket of this host?
function M.is_no_socket(endpoint)
  return not (endpoint.path or endpoint.glob or endpoint.abstract or endpoint.abstract_glob)
end

--- The variables that lead to no socket of this host at all.
-- @param facts host facts with `endpoints` from M.read
-- @return set of names
function M.elsewhere(facts)
  local out = {}
  for _, item in ipairs(facts.endpoints or {}) do
    if not item.untrusted then
      out[item.variable] = out[item.variable] ~= false and M.is_no_socket(item)
    end
  end
  return out
end

--- Does something listen on this host where a built-in record says that its daemon would?
local function is_here(tcp, facts)
  local port = tcp:match '^localhost:(%d+)$'
  return port ~= nil and facts.ports ~= nil and facts.ports[tonumber(port)] == true
end

--- TCP endpoints that net 'host' leaves reachable: those that the environment names, those that a
-- layer or a drop-in added to a record, and the built-in ones where something listens.
-- @param facts host facts with `endpoints` from M.read, and `ports` from doors.facts
-- @return list of { authority, tcp, from }, each endpoint of an authority once
function M.reachable(policy, facts)
  local out, seen = {}, {}
  local function add(authority, tcp, from)
    local key = authority .. ' ' .. tcp
    if not seen[key] then
      seen[key] = true
      out[#out + 1] = { authority = authority, tcp = tcp, from = from }
    end
  end
  if policy.net.value ~= 'host' then return out end
  for _, item in ipairs(facts.endpoints) do
    if item.tcp then add(item.authority, item.tcp, 'environment: ' .. item.variable) end
  end
  for _, name in ipairs(policy.authority_names) do
    for _, part in ipairs(policy.authorities[name].parts) do
      local is_named = part.trust ~= 'builtin' or part.added
      for _, tcp in ipairs(part.tcp or {}) do
        if is_named or is_here(tcp, facts) then add(name, tcp, part.from) end
      end
    end
  end
  return out
end

--- The policy with these endpoints refused by default, like names of their authority's record.
-- @return a new policy; the one given is not changed
function M.refuse(policy, endpoints)
  local out, refusals = {}, {}
  for key, value in pairs(policy) do out[key] = value end
  for i, entry in ipairs(policy.refusals) do refusals[i] = entry end
  for _, item in ipairs(endpoints) do
    local thing = item.path and glob.literal(item.path) or item.glob
      or item.abstract and '@' .. glob.literal(item.abstract)
      or item.abstract_glob and '@' .. item.abstract_glob
    if thing then
      refusals[#refusals + 1] = { noun = 'socket', verb = 'refuse', thing = thing, final = false,
        except = {}, from = 'environment: ' .. item.variable, authority = item.authority,
        untrusted = item.untrusted, is_live = item.untrusted,
        why = policy.authorities[item.authority].grants }
    end
  end
  out.refusals = refusals
  return out
end

return M
