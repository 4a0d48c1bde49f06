-- Build servers that stay: a client hands them compilers, plugins or commands to run outside.
return record {
  name    = 'build_daemon',
  grants  = 'builds outside with what the client names: compilers, plugins, commands',
  sockets = {
    '~/.sbt/*/server/*/sock', '/tmp/CoreFxPipe_*',
    '/run/icecc/iceccd.socket', '/var/run/icecc/iceccd.socket',
  },
  env     = {
    SCCACHE_SERVER_UDS = 'path', SCCACHE_SERVER_PORT = 'name', ICECC_TEST_SOCKET = 'path',
    DISTCC_HOSTS = 'name',
  },
  tcp     = { 'localhost:4226', 'localhost:3632' },
  owners  = { 'sccache', 'iceccd', 'VBCSCompiler' },
}
