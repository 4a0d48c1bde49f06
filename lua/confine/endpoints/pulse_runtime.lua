--- PULSE_RUNTIME_PATH: the folder of PulseAudio's sockets.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local list = {}
  for _, name in ipairs { 'native', 'cli', 'dbus-socket' } do
    local found, problem = endpoint.path(value .. '/' .. name, facts)
    if not found then return nil, problem end
    list[#list + 1] = found
  end
  return list
end

return {
  doc = 'A folder that holds `native` and, with those modules loaded, `cli` and `dbus-socket`.',
  examples = {
    { value = '/run/p', result = {
      { path = '/run/p/native' }, { path = '/run/p/cli' }, { path = '/run/p/dbus-socket' },
    } },
    { value = 'p', problem = 'not an absolute path: "p/native"' },
  },
  read = endpoint.reader(read),
}
