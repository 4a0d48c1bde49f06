--- A session message bus.
return {
  packages = { 'dbus-daemon' },
  programs = { 'dbus-daemon' },
  --- @param options path: its socket, or abstract: its abstract name without the leading NUL
  start = function(account, options)
    local path = options.path or account.runtime .. '/bus'
    local address = options.abstract and 'unix:abstract=' .. options.abstract
      or 'unix:path=' .. path
    local socket = options.abstract and '@' .. options.abstract or path
    return {
      argv = { 'dbus-daemon', '--session', '--nofork', '--nopidfile', '--address=' .. address },
      sockets = { socket },
      ready = { { 'bus', socket } },
      exports = { DBUS_SESSION_BUS_ADDRESS = address },
    }
  end,
}
