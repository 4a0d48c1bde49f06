--- A Wayland compositor without a screen.
return {
  packages = { 'weston' },
  programs = { 'weston' },
  --- @param options name: its socket's name in the runtime folder
  start = function(account, options)
    local name = options.name or 'wayland-rig'
    local path = account.runtime .. '/' .. name
    return {
      argv = { 'weston', '--backend=headless-backend.so', '--socket=' .. name, '--no-config' },
      sockets = { path },
      ready = { { 'wayland', path } },
      exports = { WAYLAND_DISPLAY = name },
    }
  end,
}
