-- Connected iPhones and iPads.
return record {
  name    = 'usbmuxd',
  grants  = 'backs up, reads and changes paired iPhones and iPads',
  sockets = { '/run/usbmuxd', '/var/run/usbmuxd' },
  env     = { USBMUXD_SOCKET_ADDRESS = 'url' },
  owners  = { 'usbmuxd' },
  secrets = { '/var/lib/lockdown' },
}
