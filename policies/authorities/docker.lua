-- Docker engines: the system's, rootless, Docker Desktop, and those in a virtual machine (Colima,
-- Lima, Rancher Desktop, OrbStack, WSL).
return record {
  name    = 'docker',
  grants  = 'root on this host or in its virtual machine: any container may mount the file system',
  sockets = {
    '/run/docker.sock', '/var/run/docker.sock',
    '$XDG_RUNTIME_DIR/docker.sock',
    '$XDG_RUNTIME_DIR/dockerd-rootless/api.sock',
    '~/.docker/run/docker.sock',
    '~/.docker/desktop/docker.sock', '~/.docker/desktop/*.sock',
    '~/.colima/docker.sock', '~/.colima/*/docker.sock', '$XDG_CONFIG_HOME/colima/*/docker.sock',
    '~/.lima/*/sock/*.sock', '~/.lima/*/ha.sock', '~/.lima/*/ga.sock',
    '~/.rd/docker.sock',
    '~/.orbstack/run/docker.sock',
    '/opt/orbstack-guest/run/docker.sock', '/opt/orbstack-guest/run/hcontrol.sock',
    -- Docker Desktop's integration with WSL
    '/run/docker-cli.sock', '/run/guest-services/*.sock', '/run/guest-services/*/*.sock',
    '/mnt/wsl/docker-desktop/shared-sockets/*/*.sock',
    -- a host's engine inside a development container
    '/run/docker-host.sock', '/var/run/docker-host.sock', '/run/host-services/docker.proxy.sock',
    -- the engine's helpers: volume, network and authorization plugins, the swarm manager
    '/run/docker/plugins/*.sock', '/run/docker/plugins/*/*.sock',
    '/run/docker/swarm/control.sock', '/run/docker/libnetwork/*.sock', '/run/docker/metrics.sock',
  },
  env     = {
    DOCKER_HOST = 'url', DOCKER_CONTEXT = 'name',
    DOCKER_CONFIG = 'name', DOCKER_CERT_PATH = 'name',
    TESTCONTAINERS_DOCKER_SOCKET_OVERRIDE = 'path',
  },
  tcp     = { 'localhost:2375', 'localhost:2376' },
  owners  = { 'dockerd', 'rootlesskit', 'com.docker.backend', 'limactl' },
  secrets = {
    '~/.docker/config.json', '$DOCKER_CONFIG/config.json', '~/.dockercfg',
    '~/.docker/contexts/tls', '~/.docker/*.pem', '$DOCKER_CERT_PATH/*.pem',
    '~/.docker/trust', '~/.docker/machine',
    '/etc/docker/key.json', '/var/lib/docker/swarm', '/var/lib/docker/containers',
    '~/.docker/config.json?*',
  },
}
