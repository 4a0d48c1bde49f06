-- Launchers of KDE sessions up to Plasma 5, and kdesu's daemon that remembers passwords.
return record {
  name    = 'kdeinit',
  grants  = 'starts any program in your KDE session, as root if kdesu remembers the password',
  sockets = {
    '$XDG_RUNTIME_DIR/kdeinit5_*', '$XDG_RUNTIME_DIR/kdeinit4_*', '/tmp/ksocket-*/kdeinit4_*',
    '$XDG_RUNTIME_DIR/klauncher*.slave-socket', '/tmp/ksocket-*/klauncher*',
    '$XDG_RUNTIME_DIR/kdesud_*', '/tmp/ksocket-*/kdesud_*',
  },
  owners  = { 'kdeinit5', 'kdeinit4', 'klauncher', 'kdesud' },
}
