--- How many sockets systemd handed over, as LISTEN_FDS says it (sd_listen_fds(3): from 3 on).
local endpoint = require 'confine.values.endpoint'

local FIRST = 3

local function read(value)
  local count = value:find('^%d+$') and #value < 8 and tonumber(value)
  if not count then return nil, 'not a number of descriptors: ' .. endpoint.shown(value) end
  if count > endpoint.MAX_ENTRIES then
    return nil, ('more than %d descriptors: %d'):format(endpoint.MAX_ENTRIES, count)
  end
  local list = {}
  for number = FIRST, FIRST + count - 1 do list[#list + 1] = { fd = number } end
  return list
end

return {
  doc = 'A count of inherited descriptors, of which the first is 3.',
  examples = {
    { value = '2', result = { { fd = 3 }, { fd = 4 } } },
    { value = '0', result = {} },
    { value = '1000000', problem = 'more than 256 descriptors: 1000000' },
    { value = 'all', problem = 'not a number of descriptors: "all"' },
  },
  read = endpoint.reader(read),
}
