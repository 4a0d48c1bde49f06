-- Nomad agents, and the API socket inside a task.
return record {
  name    = 'nomad',
  grants  = 'runs jobs on the cluster, and so commands on its machines',
  sockets = { '$NOMAD_SECRETS_DIR/api.sock', '/run/nomad/*.sock' },
  env     = { NOMAD_ADDR = 'url', NOMAD_TOKEN = 'name', NOMAD_SECRETS_DIR = 'name' },
  tcp     = { 'localhost:4646' },
  owners  = { 'nomad' },
  secrets = { '$NOMAD_SECRETS_DIR' },
}
