--- PIPEWIRE_RUNTIME_DIR: the folder of PipeWire's sockets.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local found, problem = endpoint.path(value, facts)
  if not found then return nil, problem end
  return { { glob = endpoint.literal(found.path) .. '/pipewire-*' } }
end

return {
  doc = 'A folder that holds `pipewire-0`, `pipewire-0-manager` and their kin.',
  examples = {
    { value = '/run/user/1000', result = { { glob = '/run/user/1000/pipewire-*' } } },
    { value = 'pw', problem = 'not an absolute path: "pw"' },
  },
  read = endpoint.reader(read),
}
