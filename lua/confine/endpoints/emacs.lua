--- EMACS_SOCKET_NAME: the socket of an Emacs server.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  if value:find('/', 1, true) then
    local found, problem = endpoint.path(value, facts)
    if not found then return nil, problem end
    return { found }
  end
  local dir = endpoint.runtime_dir(facts)
  local list = {}
  if dir then list[1] = { path = dir .. '/emacs/' .. value } end
  if facts.uid then list[#list + 1] = { path = ('/tmp/emacs%d/%s'):format(facts.uid, value) } end
  if #list == 0 then return nil, 'neither the runtime folder nor the user is known' end
  return list
end

return {
  doc = 'A path, or a name in $XDG_RUNTIME_DIR/emacs or /tmp/emacsUID (emacsclient(1)).',
  examples = {
    { value = 'server', facts = { uid = 7 },
      result = { { path = '/run/user/7/emacs/server' }, { path = '/tmp/emacs7/server' } } },
    { value = '/srv/e', result = { { path = '/srv/e' } } },
    { value = 'server', problem = 'neither the runtime folder nor the user is known' },
  },
  read = endpoint.reader(read),
}
