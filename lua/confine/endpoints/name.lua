--- A name that leads nowhere by itself, such as DOCKER_CONTEXT or KUBECONFIG's context.
local endpoint = require 'confine.values.endpoint'

return {
  doc = 'A name. Where it leads is written elsewhere (a context, a profile): no endpoint.',
  examples = {
    { value = 'desktop-linux', result = {} },
    { value = '', result = {} },
    { value = 'a\nb', problem = 'holds control characters: "a\\nb"' },
  },
  read = endpoint.reader(function() return {} end),
}
