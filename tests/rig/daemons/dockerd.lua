--- The Docker engine without a network, which root starts; its socket is the test user's group's.
return {
  packages = { 'docker.io' },
  programs = { 'dockerd', 'containerd' },
  account = 'root',
  --- @param options path: its socket, group: who may connect
  start = function(_, options)
    local path = options.path or '/run/docker.sock'
    return {
      folders = { { path:match '^(.*)/', 493 }, { '/srv/docker', 448 } },
      argv = { 'dockerd', '--storage-driver=vfs', '--iptables=false', '--ip6tables=false',
        '--bridge=none', '--exec-root', '/run/docker-rig', '--data-root', '/srv/docker',
        '--pidfile', '/run/docker-rig.pid', '--group', options.group or 'root',
        '-H', 'unix://' .. path },
      sockets = { path },
      ready = { { 'http', path } },
      exports = { DOCKER_HOST = 'unix://' .. path },
      client = 'root',
      patience = 60,
    }
  end,
}
