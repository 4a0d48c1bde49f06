--- A folder in which a daemon keeps its sockets, such as SCREENDIR or GNOME_KEYRING_CONTROL.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local found, problem = endpoint.path(value, facts)
  if not found then return nil, problem end
  return { { glob = endpoint.literal(found.path) .. '/*' } }
end

return {
  doc = 'A folder that holds nothing but the sockets of one daemon.',
  examples = {
    { value = '/run/user/1000/keyring', result = { { glob = '/run/user/1000/keyring/*' } } },
    { value = '/a[1]*/s', result = { { glob = '/a[[]1][*]/s/*' } } },
    { value = 'screens', problem = 'not an absolute path: "screens"' },
  },
  read = endpoint.reader(read),
}
