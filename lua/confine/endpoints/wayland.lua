--- WAYLAND_DISPLAY: a compositor's socket.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local path = value
  if value:sub(1, 1) ~= '/' then
    local dir = endpoint.runtime_dir(facts)
    if not dir then return nil, 'the runtime folder is not known' end
    path = dir .. '/' .. value
  end
  local found, problem = endpoint.path(path, facts)
  if not found then return nil, problem end
  return { found }
end

return {
  doc = 'An absolute path, or a name in $XDG_RUNTIME_DIR (wl_display_connect(3)).',
  examples = {
    { value = 'wayland-1', facts = { runtime_dir = '/run/user/7' },
      result = { { path = '/run/user/7/wayland-1' } } },
    { value = 'wayland-1', facts = { uid = 1000 },
      result = { { path = '/run/user/1000/wayland-1' } } },
    { value = '/srv/wl', result = { { path = '/srv/wl' } } },
    { value = 'wayland-0', problem = 'the runtime folder is not known' },
  },
  read = endpoint.reader(read),
}
