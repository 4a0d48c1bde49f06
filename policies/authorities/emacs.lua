-- Emacs servers.
return record {
  name    = 'emacs',
  grants  = 'evaluates any Lisp in your Emacs, and so runs programs and edits files as you',
  sockets = {
    '$XDG_RUNTIME_DIR/emacs/server', '$XDG_RUNTIME_DIR/emacs/*', '/tmp/emacs*/*',
    '/tmp/.emacs-*/*',
  },
  env     = { EMACS_SOCKET_NAME = 'emacs', EMACS_SERVER_FILE = 'name' },
  owners  = { 'emacs', 'emacs-gtk', 'emacs-nox', 'emacs-lucid', 'emacs-pgtk' },
  -- keys of servers that listen on TCP
  secrets = { '~/.emacs.d/server', '$XDG_CONFIG_HOME/emacs/server', '$EMACS_SERVER_FILE' },
}
