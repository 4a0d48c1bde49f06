-- GNU screen sessions, in the folders that its builds use.
return record {
  name    = 'screen',
  grants  = 'types commands into your screen sessions, and starts programs outside',
  sockets = {
    '/run/screen/S-*/*', '/var/run/screen/S-*/*', '/run/screens/S-*/*', '/tmp/screens/S-*/*',
    '/tmp/uscreens/S-*/*', '~/.screen/*',
  },
  env     = { STY = 'screen', SCREENDIR = 'folder' },
  owners  = { 'screen', 'SCREEN' },
}
