-- Daemons that own keyboards and screens: key injection, remapping, seats, guest agents.
return record {
  name    = 'input',
  grants  = 'types and clicks as you in any window, or reads the keyboard of this machine',
  sockets = {
    '$XDG_RUNTIME_DIR/.ydotool_socket', '/tmp/.ydotool_socket', '/run/ydotoold/socket',
    '/run/keyd.socket', '/var/run/keyd.socket',
    '/run/seatd.sock', '/var/run/seatd.sock',
    '$XDG_RUNTIME_DIR/eis-*', '/run/spice-vdagentd/spice-vdagent-sock',
    '/var/run/spice-vdagentd/spice-vdagent-sock',
  },
  env     = { YDOTOOL_SOCKET = 'path', SEATD_SOCK = 'path', LIBEI_SOCKET = 'wayland' },
  owners  = { 'ydotoold', 'keyd', 'seatd', 'spice-vdagentd' },
}
