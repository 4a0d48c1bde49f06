--- NOTIFY_SOCKET: where a service tells systemd about itself (sd_notify(3)).
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local vsock = value:match('^vsock[%w-]*:(%d*:%d+)$')
  if vsock then return { { vsock = vsock } } end
  local found, problem = endpoint.socket(value, facts)
  if not found then return nil, problem end
  return { found }
end

return {
  doc = 'A path, `@name` for an abstract name, or `vsock:CID:PORT`.',
  examples = {
    { value = '/run/systemd/notify', result = { { path = '/run/systemd/notify' } } },
    { value = '@/org/notify', result = { { abstract = '/org/notify' } } },
    { value = 'vsock:2:1234', result = { { vsock = '2:1234' } } },
    { value = 'notify', problem = 'not an absolute path: "notify"' },
  },
  read = endpoint.reader(read),
}
