-- The input method bus of IBus.
return record {
  name     = 'ibus',
  grants   = 'becomes an input method: reads what is typed in other programs, and types there',
  sockets  = { '$XDG_CACHE_HOME/ibus/dbus-*' },
  abstract = { '/home/*/.cache/ibus/dbus-*', '/root/.cache/ibus/dbus-*', '/tmp/ibus/dbus-*' },
  env      = { IBUS_ADDRESS = 'dbus-address', IBUS_ADDRESS_FILE = 'name' },
  owners   = { 'ibus-daemon' },
}
