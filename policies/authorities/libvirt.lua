-- libvirt's daemons, monolithic and modular, of the system and of the user.
return record {
  name    = 'libvirt',
  grants  = 'runs virtual machines with any disk or folder of this host, so root on it',
  sockets = {
    '/run/libvirt/libvirt-sock', '/run/libvirt/*-sock', '/run/libvirt/*-sock-ro',
    '/var/run/libvirt/libvirt-sock', '/var/run/libvirt/*-sock', '/var/run/libvirt/*-sock-ro',
    '$XDG_RUNTIME_DIR/libvirt/*-sock', '$XDG_RUNTIME_DIR/libvirt/*-sock-ro',
    '$XDG_CACHE_HOME/libvirt/libvirt-sock',
  },
  env     = { LIBVIRT_DEFAULT_URI = 'libvirt', VIRSH_DEFAULT_CONNECT_URI = 'libvirt' },
  tcp     = { 'localhost:16509', 'localhost:16514' },
  owners  = {
    'libvirtd', 'virtqemud', 'virtlxcd', 'virtxend', 'virtstoraged', 'virtnetworkd', 'virtnodedevd',
    'virtsecretd', 'virtinterfaced', 'virtnwfilterd', 'virtproxyd', 'virtlogd', 'virtlockd',
  },
  secrets = { '/etc/libvirt/secrets', '/var/lib/libvirt/secrets', '$XDG_CONFIG_HOME/libvirt' },
}
