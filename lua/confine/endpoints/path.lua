--- A socket's path, as SSH_AUTH_SOCK, CONTAINERD_ADDRESS and many editors' variables carry it.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  local text = value:match('^unix://(.*)$') or value:match('^file://(.*)$')
    or value:match('^unix:(.*)$') or value
  local found, problem = endpoint.socket(text, facts)
  if not found then return nil, problem end
  return { found }
end

return {
  doc = 'A path, absolute or below ~, with or without `unix:`; `@name` is an abstract name.',
  examples = {
    { value = '/tmp/ssh-XXXXabc/agent.12', result = { { path = '/tmp/ssh-XXXXabc/agent.12' } } },
    { value = '/run//user/./1000/agent/', result = { { path = '/run/user/1000/agent' } } },
    { value = 'unix:///run/c.sock', result = { { path = '/run/c.sock' } } },
    { value = 'unix:/run/c.sock', result = { { path = '/run/c.sock' } } },
    { value = '~/a.sock', facts = { home = '/home/u' }, result = { { path = '/home/u/a.sock' } } },
    { value = 'a.sock', facts = { cwd = '/w' }, result = { { path = '/w/a.sock' } } },
    { value = '@containerd-shim/1', result = { { abstract = 'containerd-shim/1' } } },
    { value = '', result = {} },
    { value = 'a.sock', problem = 'not an absolute path: "a.sock"' },
    { value = '@', problem = 'names no abstract socket: "@"' },
    { value = '/a\27[2J', problem = 'holds control characters: "/a\\e[2J"' },
  },
  read = endpoint.reader(read),
}
