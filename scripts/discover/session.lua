--- The caller's own environment: every variable that an authority record says carries an endpoint.
local found = require 'scripts.found'
local records = require 'scripts.records'

local function discover(host)
  local out = found.new(host)
  for _, variable in ipairs(records.variables(host.records)) do
    out:variable(variable.authority, variable.name, variable.kind)
  end
  for _, key in ipairs(records.keys(host.records)) do
    local value = host.env[key.name]
    if value then out:key(key, value, 'variable ' .. key.name) end
  end
  return out:results()
end

return {
  doc = 'Endpoints and credentials in the caller\'s environment, for each variable in the `env` '
    .. 'and the `secrets` of an authority record.',
  discover = discover,
}
