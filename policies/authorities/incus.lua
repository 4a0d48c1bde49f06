-- Incus, and its guest API inside an instance.
return record {
  name    = 'incus',
  grants  = 'root on this host: an instance may be privileged and mount any folder',
  sockets = {
    '/var/lib/incus/unix.socket', '/var/lib/incus/unix.socket.user',
    '/run/incus/unix.socket', '/run/incus/unix.socket.user',
    '/var/snap/incus/common/incus/unix.socket', '/var/snap/incus/common/incus/unix.socket.user',
    '$INCUS_DIR/unix.socket',
    '/dev/incus/sock',
  },
  env     = { INCUS_DIR = 'name', INCUS_SOCKET = 'path' },
  owners  = { 'incusd', 'incus-user' },
  secrets = { '$XDG_CONFIG_HOME/incus' },
}
