--- A descriptor that the launcher itself inherited, as WAYLAND_SOCKET carries it.
local endpoint = require 'confine.values.endpoint'

local function read(value)
  local number = value:find('^%d%d?%d?%d?%d?%d?%d?$') and tonumber(value)
  if not number then return nil, 'not the number of a descriptor: ' .. endpoint.shown(value) end
  return { { fd = number } }
end

return {
  doc = 'The number of an inherited descriptor. Nothing but 0, 1 and 2 is handed on.',
  examples = {
    { value = '12', result = { { fd = 12 } } },
    { value = '-1', problem = 'not the number of a descriptor: "-1"' },
    { value = '99999999', problem = 'not the number of a descriptor: "99999999"' },
  },
  read = endpoint.reader(read),
}
