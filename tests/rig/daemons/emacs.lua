--- An Emacs server.
return {
  packages = { 'emacs-nox' },
  programs = { 'emacs' },
  start = function(account)
    local path = account.runtime .. '/emacs/server'
    return {
      argv = { 'emacs', '-Q', '--fg-daemon' },
      sockets = { path },
      ready = { { 'emacs', path } },
      patience = 30,
    }
  end,
}
