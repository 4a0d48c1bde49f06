-- The X session manager (XSMP over ICE).
return record {
  name     = 'session_manager',
  grants   = 'ends the desktop session, and names programs that it starts at the next login',
  sockets  = { '/tmp/.ICE-unix/*' },
  abstract = { '/tmp/.ICE-unix/*' },
  env      = { SESSION_MANAGER = 'path-or-name', ICEAUTHORITY = 'name' },
  owners   = { 'gnome-session-binary', 'ksmserver', 'xfce4-session', 'mate-session', 'lxsession' },
  secrets  = { '~/.ICEauthority', '$XDG_RUNTIME_DIR/ICEauthority', '$ICEAUTHORITY' },
}
