-- X servers, also those for Wayland. They listen on a path and on an abstract name alike.
return record {
  name          = 'x11',
  grants        = 'reads every key press, the screen and the clipboard, and types into any window',
  sockets       = {
    '/tmp/.X11-unix/X0', '/tmp/.X11-unix/X1', '/tmp/.X11-unix/X*', '/mnt/wslg/.X11-unix/X*',
  },
  abstract      = { '/tmp/.X11-unix/X*' },
  env           = { DISPLAY = 'display', XAUTHORITY = 'name' },
  tcp           = { 'localhost:6000', 'localhost:6010' },
  owners        = {
    'Xorg', 'X', 'Xwayland', 'Xvfb', 'Xephyr', 'Xnest', 'Xvnc', 'Xtigervnc', 'Xtightvnc',
    'xwayland-satellite', 'nxagent', 'x2goagent',
  },
  -- the cookies without which a server turns its clients away
  secrets       = {
    '~/.Xauthority', '$XAUTHORITY', '~/.serverauth.*',
    '$XDG_RUNTIME_DIR/gdm/Xauthority', '$XDG_RUNTIME_DIR/.mutter-Xwaylandauth.*',
    '$XDG_RUNTIME_DIR/xauth_*', '/tmp/xauth_*', '/tmp/.xauth*',
    '/run/sddm', '/run/lightdm', '/var/run/lightdm', '/run/gdm/auth-for-*', '/run/gdm3/auth-for-*',
  },
  needs_secrets = true,
}
