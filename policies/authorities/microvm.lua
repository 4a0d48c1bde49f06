-- API sockets of micro virtual machines: Firecracker, Cloud Hypervisor, Kata Containers.
return record {
  name    = 'microvm',
  grants  = 'configures and stops a running micro virtual machine, and attaches disks of this host',
  sockets = {
    '/run/firecracker.socket', '/var/run/firecracker.socket',
    '/tmp/firecracker.socket', '/tmp/firecracker.sock',
    '/srv/jailer/firecracker/*/root/run/firecracker.socket',
    '/run/vc/sbs/*/*.sock', '/run/vc/vm/*/*.sock', '/run/kata/*/*.sock',
    '/tmp/cloud-hypervisor.sock', '/run/cloud-hypervisor/*.sock',
  },
  owners  = { 'firecracker', 'cloud-hypervisor', 'containerd-shim-kata-v2' },
}
