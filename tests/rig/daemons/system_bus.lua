--- The system message bus, which root starts.
return {
  packages = { 'dbus' },
  programs = { 'dbus-daemon' },
  account = 'root',
  start = function()
    local path = '/run/dbus/system_bus_socket'
    return {
      argv = { 'dbus-daemon', '--system', '--nofork', '--nopidfile' },
      sockets = { path },
      ready = { { 'bus', path } },
    }
  end,
}
