-- Terminal emulators that take commands over a socket, and programs that keep sessions alive.
return record {
  name     = 'terminal',
  grants   = 'opens terminals that run any program outside, and types into open ones',
  sockets  = {
    '$XDG_RUNTIME_DIR/wezterm/gui-sock-*', '$XDG_RUNTIME_DIR/wezterm/sock',
    '$XDG_DATA_HOME/wezterm/gui-sock-*', '$XDG_DATA_HOME/wezterm/sock',
    '/tmp/kitty*', '/tmp/mykitty*', '$XDG_RUNTIME_DIR/kitty*',
    '$XDG_RUNTIME_DIR/foot*.sock', '/tmp/foot*.sock',
    '$XDG_RUNTIME_DIR/Alacritty-*.sock', '/tmp/Alacritty-*.sock',
    '~/.urxvt/urxvtd-*', '/tmp/.lxterminal-socket*', '$XDG_RUNTIME_DIR/.lxterminal-socket*',
    '$XDG_RUNTIME_DIR/shpool/*.socket', '~/.abduco/*', '/tmp/abduco/*/*', '/tmp/.abduco/*/*',
    '$XDG_RUNTIME_DIR/abduco/*',
  },
  abstract = { 'kitty*', 'mykitty*' },
  env      = {
    KITTY_LISTEN_ON = 'url', KITTY_PUBLIC_KEY = 'name', WEZTERM_UNIX_SOCKET = 'path',
    ALACRITTY_SOCKET = 'path', RXVT_SOCKET = 'path', ABDUCO_SESSION = 'name',
    ABDUCO_SOCKET_DIR = 'folder', ABDUCO_SOCKET = 'path',
  },
  owners   = {
    'wezterm-gui', 'wezterm-mux-server', 'kitty', 'foot', 'alacritty', 'urxvtd', 'lxterminal',
    'shpool', 'abduco', 'dtach',
  },
}
