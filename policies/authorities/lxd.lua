-- LXD, and its guest API inside an instance.
return record {
  name    = 'lxd',
  grants  = 'root on this host: an instance may be privileged and mount any folder',
  sockets = {
    '/var/lib/lxd/unix.socket', '/var/lib/lxd/unix.socket.user',
    '/var/snap/lxd/common/lxd/unix.socket', '/var/snap/lxd/common/lxd-user/unix.socket',
    '$LXD_DIR/unix.socket',
    '/dev/lxd/sock',
  },
  env     = { LXD_DIR = 'name', LXD_SOCKET = 'path' },
  owners  = { 'lxd', 'lxd-user' },
  secrets = { '$XDG_CONFIG_HOME/lxc' },
}
