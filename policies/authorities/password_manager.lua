-- Password managers' own sockets, by which browsers and command lines ask them for secrets. Their
-- ssh agents are in `ssh_agent`.
return record {
  name    = 'password_manager',
  grants  = 'asks an unlocked password manager for the secrets in it',
  sockets = {
    '$XDG_RUNTIME_DIR/1Password-BrowserSupport.sock',
    '$XDG_RUNTIME_DIR/op-daemon.sock', '$XDG_CONFIG_HOME/op/op-daemon.sock',
    '~/.op/op-daemon.sock',
    '$XDG_CACHE_HOME/com.bitwarden.desktop/s.bw',
    '~/.var/app/com.bitwarden.desktop/cache/com.bitwarden.desktop/s.bw',
    '~/snap/bitwarden/current/.cache/com.bitwarden.desktop/s.bw',
    '$XDG_RUNTIME_DIR/org.keepassxc.KeePassXC.BrowserServer',
    '$XDG_RUNTIME_DIR/app/org.keepassxc.KeePassXC/org.keepassxc.KeePassXC.BrowserServer',
    '$XDG_RUNTIME_DIR/kpxc_server', '/tmp/kpxc_server',
    '/tmp/org.keepassxc.KeePassXC.BrowserServer',
    '$XDG_RUNTIME_DIR/rbw/socket', '$XDG_RUNTIME_DIR/rbw-*/socket',
    '~/.goldwarden.sock', '~/.var/app/com.quexten.Goldwarden/data/goldwarden.sock',
    '~/.lpass/agent.sock', '$XDG_RUNTIME_DIR/lpass/agent.sock', '$XDG_DATA_HOME/lpass/agent.sock',
    '$XDG_RUNTIME_DIR/keybase/*.sock', '$XDG_CONFIG_HOME/keybase/*.sock',
    '$XDG_RUNTIME_DIR/himitsu',
  },
  env     = { OP_SERVICE_ACCOUNT_TOKEN = 'name', OP_CONNECT_TOKEN = 'name', BW_SESSION = 'name' },
  owners  = {
    '1password', '1Password', 'op', 'bitwarden', 'bitwarden-app', 'rbw-agent', 'goldwarden',
    'keepassxc', 'lpass', 'keybase', 'himitsud',
  },
}
