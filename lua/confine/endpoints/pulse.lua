--- PULSE_SERVER: the sound servers that a client tries in turn.
local endpoint = require 'confine.values.endpoint'

local PULSE_PORT = 4713

local function read_one(entry, facts)
  local text = entry:gsub('^{[^}]*}', '')
  local path = text:match('^unix:(.*)$') or text:match('^/.*$')
  if path then return endpoint.path(path, facts) end
  local host = text:match('^tcp[46]?:(.*)$') or text
  local tcp, problem = endpoint.host_port(host:gsub('^//', ''), PULSE_PORT)
  if not tcp then return nil, problem end
  return { tcp = tcp }
end

local function read(value, facts)
  local entries, problem = endpoint.split(value, '%s')
  if not entries then return nil, problem end
  return endpoint.each(entries, read_one, facts)
end

return {
  doc = 'Servers with blanks between them, each `[{MACHINE}]` and `unix:PATH`, a path, '
    .. '`tcp:HOST[:PORT]` or a host (pulseaudio, "Server strings").',
  examples = {
    { value = 'unix:/run/user/1000/pulse/native',
      result = { { path = '/run/user/1000/pulse/native' } } },
    { value = '/srv/pulse', result = { { path = '/srv/pulse' } } },
    { value = '{1f2e}unix:/run/p tcp:box:4000 tcp6:[::1] other', result = {
      { path = '/run/p' }, { tcp = 'box:4000' }, { tcp = '[::1]:4713' }, { tcp = 'other:4713' },
    } },
    { value = 'unix:pulse /ok', result = { { path = '/ok' } },
      problem = 'not an absolute path: "pulse"' },
    { value = 'unix:pulse', problem = 'not an absolute path: "pulse"' },
  },
  read = endpoint.reader(read),
}
