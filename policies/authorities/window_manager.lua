-- Control sockets of window managers and compositors.
return record {
  name    = 'window_manager',
  grants  = 'has the window manager start any program, and moves, closes and watches windows',
  sockets = {
    '$XDG_RUNTIME_DIR/sway-ipc.*.sock',
    '$XDG_RUNTIME_DIR/i3/ipc-socket.*', '/tmp/i3-*/ipc-socket.*',
    '$XDG_RUNTIME_DIR/hypr/*/.socket.sock', '$XDG_RUNTIME_DIR/hypr/*/.socket2.sock',
    '/tmp/hypr/*/.socket.sock', '/tmp/hypr/*/.socket2.sock',
    '$XDG_RUNTIME_DIR/niri.*.sock', '$XDG_RUNTIME_DIR/wayfire-*.socket', '/tmp/wayfire-*.socket',
    '/tmp/bspwm*-socket', '$XDG_RUNTIME_DIR/leftwm/commands*.pipe',
    '$XDG_CACHE_HOME/qtile/qtilesocket.*',
    '$XDG_RUNTIME_DIR/swayr-*.sock', '$XDG_RUNTIME_DIR/eww-server_*',
  },
  env     = {
    SWAYSOCK = 'path', I3SOCK = 'path', BSPWM_SOCKET = 'path', NIRI_SOCKET = 'path',
    WAYFIRE_SOCKET = 'path', HYPRLAND_INSTANCE_SIGNATURE = 'name',
  },
  owners  = { 'i3', 'bspwm', 'qtile', 'leftwm-worker', 'swayrd', 'eww' },
}
