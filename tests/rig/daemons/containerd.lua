--- containerd, which root starts.
return {
  packages = { 'containerd' },
  programs = { 'containerd' },
  account = 'root',
  --- @param options path: its socket
  start = function(_, options)
    local path = options.path or '/run/containerd/containerd.sock'
    return {
      folders = { { path:match '^(.*)/', 493 }, { '/srv/containerd', 448 } },
      argv = { 'containerd', '--root', '/srv/containerd/root', '--state', '/srv/containerd/state',
        '--address', path },
      sockets = { path },
      ready = { { 'http2', path } },
      client = 'root',
      patience = 30,
    }
  end,
}
