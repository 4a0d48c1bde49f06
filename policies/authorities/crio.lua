-- CRI-O, and the variables by which crictl finds any Kubernetes container runtime.
return record {
  name    = 'crio',
  grants  = 'root on this node: starts containers with any folder mounted, enters running ones',
  sockets = { '/run/crio/crio.sock', '/var/run/crio/crio.sock', '/run/frakti.sock' },
  env     = { CONTAINER_RUNTIME_ENDPOINT = 'url', IMAGE_SERVICE_ENDPOINT = 'url' },
  owners  = { 'crio' },
}
