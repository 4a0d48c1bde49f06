-- Podman's API service, the machines it runs, and the consoles of its containers.
return record {
  name    = 'podman',
  grants  = 'starts containers as you (as root on its root socket), with any folder mounted',
  sockets = {
    '/run/podman/podman.sock', '/var/run/podman/podman.sock',
    '$XDG_RUNTIME_DIR/podman/podman.sock', '$XDG_RUNTIME_DIR/podman/*.sock',
    '/tmp/podman-run-*/podman/podman.sock',
    '$XDG_DATA_HOME/containers/podman/machine/*.sock',
    '$XDG_DATA_HOME/containers/podman/machine/*/*.sock',
    '$XDG_RUNTIME_DIR/libpod/tmp/socket/*/attach', '/run/libpod/socket/*/attach',
  },
  env     = {
    CONTAINER_HOST = 'url', CONTAINER_CONNECTION = 'name', CONTAINER_SSHKEY = 'name',
    REGISTRY_AUTH_FILE = 'name',
  },
  owners  = { 'podman', 'conmon', 'gvproxy' },
  secrets = {
    '$XDG_RUNTIME_DIR/containers/auth.json', '$XDG_CONFIG_HOME/containers/auth.json',
    '/run/containers/*/auth.json', '$REGISTRY_AUTH_FILE', '$CONTAINER_SSHKEY',
    '$XDG_DATA_HOME/containers/podman/machine/machine',
    '$XDG_DATA_HOME/containers/storage/secrets', '/var/lib/containers/storage/secrets',
  },
}
