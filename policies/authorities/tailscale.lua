-- Tailscale's daemon.
return record {
  name    = 'tailscale',
  grants  = 'uses and reconfigures your tailnet: connects to its machines, shares this one',
  sockets = {
    '/run/tailscale/tailscaled.sock', '/var/run/tailscale/tailscaled.sock',
    '/var/snap/tailscale/common/socket/tailscaled.sock',
  },
  owners  = { 'tailscaled' },
  secrets = { '/var/lib/tailscale', '$XDG_DATA_HOME/tailscale' },
}
