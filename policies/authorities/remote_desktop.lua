-- Servers that show this desktop to others, and their controls.
return record {
  name    = 'remote_desktop',
  grants  = 'sees and controls a desktop that is shared, or lets somebody else do so',
  sockets = {
    '$XDG_RUNTIME_DIR/wayvncctl', '/tmp/wayvncctl-*', '/tmp/wayvnc/wayvncctl.sock',
    '~/.xpra/*', '$XDG_RUNTIME_DIR/xpra/*', '$XDG_RUNTIME_DIR/xpra/*/socket', '/run/xpra/*',
    '/run/xrdp/sockdir/*', '/run/xrdp/sockdir/*/*', '/var/run/xrdp/sockdir/*', '/tmp/.xrdp/*',
    '/tmp/RustDesk/ipc*', '/tmp/RustDesk-*/ipc*',
  },
  tcp     = { 'localhost:5900', 'localhost:5901', 'localhost:3389', 'localhost:47990' },
  owners  = { 'wayvnc', 'xpra', 'xrdp', 'xrdp-sesman', 'xrdp-chansrv', 'rustdesk' },
  secrets = { '~/.vnc/passwd', '$XDG_CONFIG_HOME/tigervnc/passwd', '$XDG_CONFIG_HOME/wayvnc' },
}
