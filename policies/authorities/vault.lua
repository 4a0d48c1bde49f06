-- Vault and OpenBao: servers and agents on this machine, and the token of your login.
return record {
  name          = 'vault',
  grants        = 'reads and writes the secrets that your Vault or OpenBao login may',
  sockets       = { '/run/vault/*.sock', '/run/openbao/*.sock' },
  env           = {
    VAULT_ADDR = 'url', VAULT_AGENT_ADDR = 'url', VAULT_TOKEN = 'name',
    BAO_ADDR = 'url', BAO_AGENT_ADDR = 'url', BAO_TOKEN = 'name',
  },
  tcp           = { 'localhost:8200' },
  owners        = { 'vault', 'bao' },
  secrets       = { '~/.vault-token', '~/.bao-token' },
  needs_secrets = true,
}
