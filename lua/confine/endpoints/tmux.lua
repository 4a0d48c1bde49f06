--- TMUX: the server's socket, its process and the session's index.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local found, problem = endpoint.path(value:match('^[^,]*'), facts)
  if not found then return nil, problem end
  return { found }
end

return {
  doc = 'PATH,PID,INDEX; tmux itself reads up to the first comma.',
  examples = {
    { value = '/tmp/tmux-1000/default,4211,0', result = { { path = '/tmp/tmux-1000/default' } } },
    { value = '/tmp/tmux-1000/work', result = { { path = '/tmp/tmux-1000/work' } } },
    { value = ',1,0', problem = 'names no path' },
  },
  read = endpoint.reader(read),
}
