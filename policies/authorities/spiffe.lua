-- SPIRE agents and servers, which hand workloads their identity.
return record {
  name    = 'spiffe',
  grants  = 'obtains the machine identities (certificates, tokens) meant for this workload',
  sockets = {
    '/tmp/spire-agent/public/api.sock', '/tmp/spire-server/private/api.sock',
    '/run/spire/sockets/*', '/run/spire/agent-sockets/*', '/run/spire/agent/public/*',
    '/run/spire/server/private/*',
  },
  env     = { SPIFFE_ENDPOINT_SOCKET = 'url', SPIRE_AGENT_ADDRESS = 'path-or-name' },
  owners  = { 'spire-agent', 'spire-server' },
}
