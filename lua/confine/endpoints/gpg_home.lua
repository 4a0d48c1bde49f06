--- GNUPGHOME: a folder in which the agents of GnuPG may keep their sockets.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local found, problem = endpoint.path(value, facts)
  if not found then return nil, problem end
  return { { glob = endpoint.literal(found.path) .. '/S.*' } }
end

return {
  doc = 'A home of GnuPG: it holds S.gpg-agent, S.keyboxd and their kin where /run/user does not.',
  examples = {
    { value = '/srv/keys', result = { { glob = '/srv/keys/S.*' } } },
    { value = 'keys', problem = 'not an absolute path: "keys"' },
  },
  read = endpoint.reader(read),
}
