--- podman's API service, which answers as the Docker engine does.
return {
  packages = { 'podman' },
  programs = { 'podman' },
  --- @param options path: its socket
  start = function(account, options)
    local path = options.path or account.runtime .. '/podman/podman.sock'
    return {
      folders = { { path:match '^(.*)/', 493 } },
      argv = { 'podman', '--storage-driver=vfs', '--cgroup-manager=cgroupfs',
        '--events-backend=file', 'system', 'service', '--time=0', 'unix://' .. path },
      sockets = { path },
      ready = { { 'http', path } },
      exports = { CONTAINER_HOST = 'unix://' .. path },
      patience = 30,
    }
  end,
}
