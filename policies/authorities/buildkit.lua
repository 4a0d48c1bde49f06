-- BuildKit daemons outside the Docker engine.
return record {
  name    = 'buildkit',
  grants  = 'builds run as the daemon (root unless rootless), with its registry logins and network',
  sockets = {
    '/run/buildkit/*.sock', '/var/run/buildkit/*.sock', '/run/buildkit-*/*.sock',
    '$XDG_RUNTIME_DIR/buildkit/*.sock', '$XDG_RUNTIME_DIR/buildkit-*/*.sock',
  },
  env     = { BUILDKIT_HOST = 'url', BUILDX_BUILDER = 'name', BUILDX_CONFIG = 'name' },
  tcp     = { 'localhost:1234' },
  owners  = { 'buildkitd' },
}
