-- Connections that ssh shares (ControlMaster), where `ControlPath` is usually put.
return record {
  name    = 'ssh_master',
  grants  = 'commands, files and forwarded ports on every machine with a shared ssh connection',
  sockets = {
    '~/.ssh/cm-*', '~/.ssh/cm/*', '~/.ssh/cm_*', '~/.ssh/mux-*', '~/.ssh/mux/*',
    '~/.ssh/master-*', '~/.ssh/master/*', '~/.ssh/control-*', '~/.ssh/control/*',
    '~/.ssh/controlmasters/*', '~/.ssh/sockets/*', '~/.ssh/socket-*', '~/.ssh/connections/*',
    '~/.ssh/tmp/*', '~/.ssh/*@*',
    '$XDG_RUNTIME_DIR/ssh/*', '$XDG_RUNTIME_DIR/ssh-*@*', '$XDG_RUNTIME_DIR/ssh-mux-*',
    '$XDG_CACHE_HOME/ssh/*', '/tmp/ssh-*@*', '/tmp/ssh_mux_*', '/tmp/sock-*/sock-*',
    '/tmp/tramp.*', '$XDG_RUNTIME_DIR/kssh-*/*',
    '~/.ansible/cp/*', '~/.ansible/pc/*',
    '~/.lima/*/ssh.sock', '~/.colima/_lima/*/ssh.sock',
    '$XDG_DATA_HOME/rancher-desktop/lima/*/ssh.sock',
  },
  owners  = { 'ssh' },
}
