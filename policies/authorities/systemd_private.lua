-- Direct sockets of systemd's managers and services, past the buses. Logging (journal/socket,
-- journal/stdout, dev-log) and lookups of names and users (resolve/io.systemd.Resolve, userdb/*)
-- hand out no power and stay reachable.
return record {
  name    = 'systemd_private',
  grants  = 'starts and stops services: yours as you, the system ones as root where you may',
  sockets = {
    '$XDG_RUNTIME_DIR/systemd/private', '$XDG_RUNTIME_DIR/systemd/notify',
    '$XDG_RUNTIME_DIR/systemd/io.systemd.*', '$XDG_RUNTIME_DIR/systemd/ask-password/sck.*',
    '/run/systemd/private', '/run/systemd/notify',
    -- varlink: Manager, Credentials, Hostname, Login, Machine, MountFileSystem, sysext and others
    '/run/systemd/io.systemd.*',
    '/run/systemd/machine/io.systemd.*', '/run/systemd/netif/io.systemd.*',
    '/run/systemd/oom/io.systemd.*',
    -- every name that anybody on this host looks up
    '/run/systemd/resolve/io.systemd.Resolve.Monitor',
    '/run/systemd/journal/io.systemd.*',
    '/run/systemd/ask-password/sck.*', '/run/systemd/coredump',
    '/run/udev/control', '/run/udev/io.systemd.Udev', '/run/initctl',
  },
  env     = {
    NOTIFY_SOCKET = 'notify', LISTEN_FDS = 'listen-fds', LISTEN_PID = 'name',
    LISTEN_FDNAMES = 'name', MANAGERPID = 'name',
  },
}
