-- tmux servers of this and other users.
return record {
  name    = 'tmux',
  grants  = 'types commands into your open terminals, and starts programs outside',
  sockets = { '/tmp/tmux-*/*', '$XDG_RUNTIME_DIR/tmux-*/*', '/run/tmux/*/*' },
  env     = { TMUX = 'tmux', TMUX_PANE = 'name', TMUX_TMPDIR = 'tmux-tmpdir' },
  owners  = { 'tmux' },
}
