-- Consul agents.
return record {
  name    = 'consul',
  grants  = 'registers services, and where scripts are on makes the agent run commands as a check',
  sockets = { '/run/consul/*.sock', '/var/run/consul/*.sock' },
  env     = { CONSUL_HTTP_ADDR = 'url', CONSUL_GRPC_ADDR = 'url', CONSUL_HTTP_TOKEN = 'name' },
  tcp     = { 'localhost:8500', 'localhost:8502' },
  owners  = { 'consul' },
}
