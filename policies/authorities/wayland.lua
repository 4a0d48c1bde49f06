-- Wayland compositors.
return record {
  name    = 'wayland',
  grants  = 'opens windows, reads the clipboard, and on many compositors records screen and keys',
  sockets = {
    '$XDG_RUNTIME_DIR/wayland-0', '$XDG_RUNTIME_DIR/wayland-1', '$XDG_RUNTIME_DIR/wayland-*',
    '$XDG_RUNTIME_DIR/gamescope-*', '/tmp/wayland-*', '/mnt/wslg/runtime-dir/wayland-*',
  },
  env     = { WAYLAND_DISPLAY = 'wayland', WAYLAND_SOCKET = 'fd' },
  owners  = {
    'weston', 'gnome-shell', 'kwin_wayland', 'sway', 'Hyprland', 'labwc', 'wayfire', 'river',
    'niri', 'cosmic-comp', 'gamescope', 'mutter', 'phoc', 'cage', 'waypipe',
  },
}
