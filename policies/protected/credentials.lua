-- Settings beside credentials by which programs outside execute commands or let somebody in:
-- ProxyCommand, credential_process, exec plugins, hooks. What is there is hidden by the secrets'
-- records; here a writable home keeps a command from making what is not.
return record {
  name  = 'credentials',
  files = {
    '~/.ssh/config', '~/.ssh/rc', '~/.ssh/environment', '~/.ssh/authorized_keys',
    '~/.ssh/authorized_keys2', '~/.ssh/known_hosts', '~/.aws/config', '~/.aws/credentials',
    '~/.aws/cli/alias', '~/.kube/config', '~/.kube/kuberc', '~/.npmrc', '~/.yarnrc',
    '~/.yarnrc.yml', '~/.bunfig.toml', '~/.netrc', '~/.pgpass', '~/.my.cnf',
    '~/.docker/config.json',
    '~/.gnupg/gpg.conf', '~/.gnupg/gpg-agent.conf', '~/.gnupg/dirmngr.conf', '~/.s3cfg',
    '~/.claude/settings.json', '~/.claude.json', '~/.codex/config.toml', '~/.gemini/settings.json',
    '~/.cursor/mcp.json', '~/.terraformrc', '~/.pypirc', '~/.condarc', '~/.curlrc', '~/.wgetrc',
  },
  why   = 'a program outside executes what it names, or trusts whom it names',
}
