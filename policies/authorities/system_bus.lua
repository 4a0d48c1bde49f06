-- The D-Bus of the whole system.
return record {
  name    = 'system_bus',
  grants  = 'asks root services (units, packages, network, disks) for what polkit lets you do',
  sockets = { '/run/dbus/system_bus_socket', '/var/run/dbus/system_bus_socket' },
  env     = { DBUS_SYSTEM_BUS_ADDRESS = 'dbus-address' },
}
