--- A stand-in for systemd's private socket, which speaks D-Bus: a message bus listening there,
--- because no systemd runs in the rig.
return {
  packages = { 'dbus-daemon' },
  programs = { 'dbus-daemon' },
  --- @param options path: its socket (default the user manager's)
  start = function(account, options)
    local path = options.path or account.runtime .. '/systemd/private'
    return {
      folders = { { path:match '^(.*)/', 493 } },
      argv = { 'dbus-daemon', '--session', '--nofork', '--nopidfile',
        '--address=unix:path=' .. path },
      sockets = { path },
      ready = { { 'bus', path } },
    }
  end,
}
