-- The Nix daemon.
return record {
  name          = 'nix',
  grants        = 'builds through a root daemon and adds to the store; root for its trusted users',
  sockets       = { '/nix/var/nix/daemon-socket/socket' },
  env           = { NIX_REMOTE = 'path-or-name', NIX_DAEMON_SOCKET_PATH = 'path' },
  owners        = { 'nix-daemon' },
  -- access tokens stand in the same file as settings
  secrets       = {
    '$XDG_CONFIG_HOME/nix/nix.conf', '$XDG_CONFIG_HOME/nix/netrc', '/etc/nix/netrc',
  },
  needs_secrets = true,
}
