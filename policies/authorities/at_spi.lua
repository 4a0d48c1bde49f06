-- The accessibility bus.
return record {
  name    = 'at_spi',
  grants  = 'reads what is on the screen, follows the keyboard, and presses buttons in programs',
  sockets = { '$XDG_RUNTIME_DIR/at-spi/bus*', '$XDG_CACHE_HOME/at-spi/bus*' },
  env     = { AT_SPI_BUS_ADDRESS = 'dbus-address' },
  owners  = { 'at-spi-bus-launcher' },
}
