--- Doctor: a run of the default profile, with the layers of the site and the user.

--- The weaker guards of a run, each name once, in order.
local function weaker(bounds)
  local out, seen = {}, {}
  for _, item in ipairs(bounds.weaker) do
    if not seen[item.name] then
      seen[item.name] = true
      out[#out + 1] = item.name
    end
  end
  table.sort(out)
  return out
end

--- The record that tells more of what stops a launch, by the kind of the problem.
local ELSEWHERE = { no_proc = 'proc', foreign_proc = 'proc', no_bwrap = 'bubblewrap',
  untrusted_bwrap = 'bubblewrap', broken_bwrap = 'bubblewrap', bwrap_option = 'bubblewrap',
  no_userns = 'user_namespaces', no_sandbox = 'sandbox' }

local function see(name)
  return { cause = { name }, see = name }
end

return {
  name = 'launch',
  guards = 'everything together, in the order of a run, with the policies of this machine',
  proof = '`true` is run in an empty folder under the default profile',
  missing = 'no run starts',
  judge = function(seen)
    local trial = seen.trial
    local elsewhere = not trial.started and ELSEWHERE[trial.kind]
    if elsewhere then return 'missing', 'no run starts here', elsewhere end
    if not trial.started then
      local says = trial.message .. (trial.said and ' (' .. trial.said .. ')' or '')
      return 'missing', says, 'other'
    end
    local names = weaker(trial.bounds)
    if #names > 0 then
      -- What may be reachable by a name that is not found is no matter of another record.
      local is_named = #names == 1 and names[1] == 'further_names'
      return 'weaker', ('a run starts; its bounds are weaker in %s'):format(
        table.concat(names, ', ')), is_named and 'names' or 'weaker', false
    end
    return 'ok', 'a run starts with all its guards'
  end,
  remedies = {
    see 'proc', see 'bubblewrap', see 'user_namespaces', see 'sandbox',
    { cause = { 'weaker' }, does = 'mend what is weaker in the records below; a name in the bounds '
      .. 'of one run alone is explained there', commands = { 'confine-lua run --bounds FILE true' },
      tried = 'Debian 12' },
    { cause = { 'names' }, does = 'a run says at its start which name may be reachable, and why: '
      .. 'end what listens there, or hide it', commands = { 'confine-lua run true' },
      tried = 'Debian 12' },
    { cause = { 'other' }, does = 'the message names the cause; where it names a policy '
      .. 'line, change that line',
      commands = { 'confine-lua run true' }, tried = 'Debian 12' },
  },
  examples = {
    { seen = { trial = { started = true, bounds = { weaker = {} } } }, status = 'ok',
      says = 'all its guards' },
    { seen = { trial = { started = true, bounds = { weaker = { { name = 'b' }, { name = 'a' },
        { name = 'b' } } } } }, status = 'weaker', says = 'weaker in a, b', cause = 'weaker' },
    { seen = { trial = { started = true, bounds = { weaker = { { name = 'further_names' } } } } },
      status = 'weaker', says = 'weaker in further_names', cause = 'names' },
    { seen = { trial = { started = false, kind = 'host', message = 'nothing',
      said = 'bwrap: no' } }, status = 'missing', says = 'nothing (bwrap: no)', cause = 'other' },
    { seen = { trial = { started = false, kind = 'no_bwrap', message = 'bwrap is not in PATH' } },
      status = 'missing', says = 'no run starts here', cause = 'bubblewrap' },
  },
}
