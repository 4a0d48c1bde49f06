--- GPG_AGENT_INFO: the agent's socket, its process and the protocol's version.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local found, problem = endpoint.path(value:match('^(.*):%d*:%d*$') or value, facts)
  if not found then return nil, problem end
  return { found }
end

return {
  doc = 'PATH:PID:PROTOCOL, as GnuPG before 2.1 and gnome-keyring set it (gpg-agent(1)).',
  examples = {
    { value = '/run/user/1000/keyring/gpg:0:1',
      result = { { path = '/run/user/1000/keyring/gpg' } } },
    { value = '/tmp/gpg-a:b/S.gpg-agent:12:1', result = { { path = '/tmp/gpg-a:b/S.gpg-agent' } } },
    { value = '/tmp/S.gpg-agent', result = { { path = '/tmp/S.gpg-agent' } } },
    { value = ':12:1', problem = 'names no path' },
  },
  read = endpoint.reader(read),
}
