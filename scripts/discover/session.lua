--- The caller's own environment: every variable that an authority record says carries an endpoint.
local found = require 'scripts.found'
local records = require 'scripts.records'

local function discover(host)
  local out = found.new(host)
  for _, variable in ipairs(records.variables(host.records)) do
    out:variable(variable.authority, variable.name, variable.kind)
  end
  return out:results()
end

return {
  doc = 'Endpoints in the caller\'s environment, for each variable in the `env` of a record.',
  discover = discover,
}
