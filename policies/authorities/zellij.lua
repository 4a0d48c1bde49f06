-- zellij sessions. The middle folder is the version of zellij, or of the protocol.
return record {
  name    = 'zellij',
  grants  = 'types commands into your zellij sessions, and starts programs outside',
  sockets = {
    '$XDG_RUNTIME_DIR/zellij/*/*', '/tmp/zellij-*/*/*',
    '$ZELLIJ_SOCKET_DIR/*', '$ZELLIJ_SOCKET_DIR/*/*',
  },
  env     = { ZELLIJ_SOCKET_DIR = 'name', ZELLIJ_SESSION_NAME = 'name', ZELLIJ = 'name' },
  owners  = { 'zellij' },
}
