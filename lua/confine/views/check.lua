-- What is doubtful in a sound policy: grants without effect, secret-looking names, open loopback.

local glob = require 'confine.values.glob'
local problem = require 'confine.values.problem'

local M = {}

local SECRET_NAMES = {
  '*_KEY', '*_TOKEN', '*PASSWORD*', '*_SECRET', '*BASIC_AUTH*', '*PASSWD*', '*_CREDENTIALS',
}

local function warn(list, kind, from, message, hint)
  list[#list + 1] = problem.new { kind = kind, from = from, message = message, hint = hint }
end

local function final_refusal(policy, match)
  for _, entry in ipairs(policy.refusals) do
    if entry.final and match(entry) then return entry end
  end
end

--- Grants that an explicit refusal caps.
local function dead_grants(policy, out)
  for _, grant in ipairs(policy.grants) do
    local entry
    if grant.noun == 'authority' then
      entry = final_refusal(policy, function(e) return e.authority == grant.thing end)
    elseif grant.noun == 'env' then
      entry = final_refusal(policy, function(e)
        return e.noun == 'env' and glob.match(e.thing, grant.thing)
      end)
    else
      entry = final_refusal(policy, function(e)
        return e.noun == grant.noun and e.thing == grant.thing
      end)
    end
    if entry and not grant.default then
      warn(out, 'no_effect', grant.from, ('%s.%s \'%s\' has no effect: %s refuses it for good')
        :format(grant.noun, grant.verb, grant.thing, entry.from), 'remove one of the two lines')
    end
  end
end

local function secret_names(policy, out)
  for _, grant in ipairs(policy.grants) do
    if grant.noun == 'env' and grant.verb == 'allow' then
      for _, pattern in ipairs(SECRET_NAMES) do
        if glob.match(pattern, grant.thing) then
          warn(out, 'secret_name', grant.from,
            ('%s looks like the name of a secret, and its value would be readable inside')
              :format(grant.thing))
          break
        end
      end
    end
  end
end

local function loopback(policy, facts, out)
  if policy.net.value ~= 'host' then return end
  for _, item in ipairs(facts.endpoints or {}) do
    if item.tcp then
      warn(out, 'reachable_endpoint', policy.net.from,
        ("net 'host' leaves the %s endpoint %s (%s) reachable")
          :format(item.authority, item.tcp, item.variable),
        "use net 'none'")
    end
  end
end

--- Judges a merged policy.
-- @return list of problems that do not stop a run
function M.warnings(policy, facts)
  local out = {}
  dead_grants(policy, out)
  secret_names(policy, out)
  loopback(policy, facts, out)
  return out
end

return M
