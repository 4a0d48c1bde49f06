-- The D-Bus of a login session.
return record {
  name     = 'session_bus',
  grants   = 'acts as your desktop: starts programs outside, reads the keyring, sees the screen',
  sockets  = { '$XDG_RUNTIME_DIR/bus', '/tmp/dbus-*' },
  abstract = { '/tmp/dbus-*' },
  env      = {
    DBUS_SESSION_BUS_ADDRESS = 'dbus-address', DBUS_STARTER_ADDRESS = 'dbus-address',
    DBUS_SESSION_BUS_PID = 'name', DBUS_SESSION_BUS_WINDOWID = 'name',
    DBUS_STARTER_BUS_TYPE = 'name',
  },
  variable = 'DBUS_SESSION_BUS_ADDRESS',
  owners   = { 'dbus-daemon', 'dbus-broker-launch', 'dbus-broker' },
}
