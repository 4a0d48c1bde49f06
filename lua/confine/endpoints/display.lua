--- DISPLAY: where an X server listens.
local endpoint = require 'confine.values.endpoint'

--- X servers listen at 6000 + the display's number when they listen on TCP.
local X_PORT = 6000

local function local_sockets(number)
  local name = ('/tmp/.X11-unix/X%d'):format(number)
  return { { path = name }, { abstract = name } }
end

--- A value that begins with a slash is first taken as the path of a socket, then as a display.
local function slashed(value, number, facts)
  local list = local_sockets(number)
  for _, text in ipairs { value, value:match('^(.*:%d+)%.%d+$') } do
    local found, problem = endpoint.path(text, facts)
    if not found then return nil, problem end
    table.insert(list, 1, found)
  end
  return list
end

local function read(value, facts)
  local head, digits = value:match('^(.*):(%d+)$')
  if not head then head, digits = value:match('^(.*):(%d+)%.%d+$') end
  local number = digits and #digits < 10 and tonumber(digits)
  if not number then
    if value:sub(1, 1) == '/' then
      local found, problem = endpoint.path(value, facts)
      return found and { found }, problem
    end
    return nil, 'not a display: ' .. endpoint.shown(value)
  end
  if head:sub(1, 1) == '/' then return slashed(value, number, facts) end
  local protocol, host = head:match('^(.-)/(.*)$')
  host = host or head
  if protocol == 'unix' or protocol == 'local' or host == '' or host == 'unix' then
    return local_sockets(number)
  end
  if host:find(':', 1, true) and host:sub(1, 1) ~= '[' then host = '[' .. host .. ']' end
  local tcp, problem = endpoint.host_port(host, X_PORT + number)
  if not tcp then return nil, problem end
  return { { tcp = tcp } }
end

return {
  doc = '[PROTOCOL/][HOST]:NUMBER[.SCREEN] or a path (X(7)). A local display has a path and an '
    .. 'abstract name.',
  examples = {
    { value = ':0',
      result = { { path = '/tmp/.X11-unix/X0' }, { abstract = '/tmp/.X11-unix/X0' } } },
    { value = ':97.1',
      result = { { path = '/tmp/.X11-unix/X97' }, { abstract = '/tmp/.X11-unix/X97' } } },
    { value = 'unix:0',
      result = { { path = '/tmp/.X11-unix/X0' }, { abstract = '/tmp/.X11-unix/X0' } } },
    { value = 'unix/box:2',
      result = { { path = '/tmp/.X11-unix/X2' }, { abstract = '/tmp/.X11-unix/X2' } } },
    { value = 'localhost:10.0', result = { { tcp = 'localhost:6010' } } },
    { value = 'tcp/host:0', result = { { tcp = 'host:6000' } } },
    { value = 'fe80::1:0', result = { { tcp = '[fe80::1]:6000' } } },
    { value = '/tmp/launch/org.xquartz:0.0', result = {
      { path = '/tmp/launch/org.xquartz:0' }, { path = '/tmp/launch/org.xquartz:0.0' },
      { path = '/tmp/.X11-unix/X0' }, { abstract = '/tmp/.X11-unix/X0' },
    } },
    { value = '/srv/x', result = { { path = '/srv/x' } } },
    { value = 'host', problem = 'not a display: "host"' },
    { value = ':99999999999', problem = 'not a display: ":99999999999"' },
    { value = 'host:70000', problem = 'no port from 1 to 65535: "host"' },
  },
  read = endpoint.reader(read),
}
