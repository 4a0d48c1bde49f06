-- File servers, phones and cloud drives that the desktop has mounted with your logins.
return record {
  name    = 'gvfs',
  grants  = 'reads and writes the remote shares, phones and drives that the desktop has mounted',
  sockets = { '$XDG_RUNTIME_DIR/gvfsd/socket-*' },
  owners  = { 'gvfsd', 'gvfsd-fuse' },
  secrets = { '$XDG_RUNTIME_DIR/gvfs', '~/.gvfs', '$XDG_RUNTIME_DIR/kio-fuse-*' },
}
