-- Watchman, whose triggers are commands.
return record {
  name    = 'watchman',
  grants  = 'has a daemon outside run any command when a file changes',
  sockets = {
    '$XDG_STATE_HOME/watchman/*-state/sock', '/usr/local/var/run/watchman/*-state/sock',
    '/run/watchman/*-state/sock', '/var/run/watchman/*-state/sock',
    '/opt/facebook/watchman/var/run/watchman/*-state/sock', '/tmp/.watchman.*',
  },
  env     = { WATCHMAN_SOCK = 'path' },
  owners  = { 'watchman' },
}
