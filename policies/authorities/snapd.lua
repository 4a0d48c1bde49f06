-- snapd, the daemon that installs and runs snaps.
return record {
  name    = 'snapd',
  grants  = 'asks a root daemon to install, remove and run snaps, as far as polkit lets you',
  sockets = {
    '/run/snapd.socket', '/run/snapd-snap.socket',
    '/var/run/snapd.socket', '/var/run/snapd-snap.socket',
    '$XDG_RUNTIME_DIR/snapd-session-agent.socket',
  },
  owners  = { 'snapd' },
  secrets = { '~/.snap/auth.json' },
}
