-- Smart card readers.
return record {
  name    = 'pcscd',
  grants  = 'talks to inserted smart cards and security keys, with their PIN if it is cached',
  sockets = { '/run/pcscd/pcscd.comm', '/var/run/pcscd/pcscd.comm' },
  env     = { PCSCLITE_CSOCK_NAME = 'path' },
  owners  = { 'pcscd' },
}
