-- The Guix daemon.
return record {
  name    = 'guix',
  grants  = 'builds through a root daemon and adds packages to the store',
  sockets = { '/var/guix/daemon-socket/socket' },
  env     = { GUIX_DAEMON_SOCKET = 'url' },
  owners  = { 'guix-daemon' },
  secrets = { '/etc/guix/signing-key.sec' },
}
