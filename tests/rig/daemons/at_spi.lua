--- The accessibility bus.
return {
  packages = { 'at-spi2-core', 'dbus' },
  programs = { '/usr/libexec/at-spi-bus-launcher', 'dbus-run-session' },
  start = function(account)
    local path = account.runtime .. '/at-spi/bus'
    return {
      argv = { 'dbus-run-session', '--', '/usr/libexec/at-spi-bus-launcher',
        '--launch-immediately' },
      sockets = { path },
      ready = { { 'bus', path } },
    }
  end,
}
