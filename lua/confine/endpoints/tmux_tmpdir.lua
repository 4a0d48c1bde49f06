--- TMUX_TMPDIR: the folder below which tmux keeps the folder of its sockets.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local found, problem = endpoint.path(value, facts)
  if not found then return nil, problem end
  if not facts.uid then return nil, 'the user is not known' end
  return { { glob = ('%s/tmux-%d/*'):format(endpoint.literal(found.path), facts.uid) } }
end

return {
  doc = 'A folder; the sockets are DIR/tmux-UID/NAME (tmux(1)).',
  examples = {
    { value = '/var/tmp', facts = { uid = 1000 }, result = { { glob = '/var/tmp/tmux-1000/*' } } },
    { value = '/var/tmp', problem = 'the user is not known' },
  },
  read = endpoint.reader(read),
}
