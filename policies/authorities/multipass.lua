-- Multipass, whose daemon runs as root.
return record {
  name    = 'multipass',
  grants  = 'runs virtual machines through a root daemon and mounts folders of this host in them',
  sockets = {
    '/run/multipass_socket', '/var/run/multipass_socket',
    '/var/snap/multipass/common/multipass_socket',
  },
  env     = { MULTIPASS_SERVER_ADDRESS = 'url' },
  owners  = { 'multipassd' },
  secrets = { '$XDG_DATA_HOME/multipass-client-certificate' },
}
