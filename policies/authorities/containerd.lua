-- containerd wherever an engine or a Kubernetes distribution keeps it, its shims and plugins.
return record {
  name     = 'containerd',
  grants   = 'root on this host: any container may mount its file system',
  sockets  = {
    '/run/containerd/containerd.sock', '/run/containerd/*.sock', '/run/containerd/*.sock.ttrpc',
    '/var/run/containerd/*.sock', '/var/run/containerd/*.sock.ttrpc',
    '/run/containerd/s/*',
    '/run/docker/containerd/*.sock', '/run/docker/containerd/*.sock.ttrpc',
    '/var/run/docker/containerd/*.sock',
    '$XDG_RUNTIME_DIR/docker/containerd/*.sock',
    '$XDG_RUNTIME_DIR/containerd/*.sock', '$XDG_RUNTIME_DIR/containerd-rootless/api.sock',
    '/run/k3s/containerd/*.sock', '/run/k0s/containerd.sock',
    '/var/snap/microk8s/common/run/containerd.sock',
    '/run/nri/nri.sock', '/var/run/nri/nri.sock',
    '/run/containerd-*-grpc/*.sock', '/run/*-snapshotter-grpc/*.sock',
  },
  -- shims before 1.3.9 and 1.4.3 listened there, open to every process of the same user
  abstract = { '/containerd-shim/*', '/containerd-shim/*/*', '/containerd-shim/*/*/*' },
  env      = { CONTAINERD_ADDRESS = 'path', CONTAINERD_NAMESPACE = 'name' },
  owners   = { 'containerd', 'containerd-shim', 'containerd-shim-runc-v2' },
}
