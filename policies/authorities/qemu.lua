-- Monitors and guest agents of running QEMU machines, and helpers that serve their disks.
return record {
  name    = 'qemu',
  grants  = 'full control of running virtual machines: their disks, memory, guest and devices',
  sockets = {
    '/var/lib/libvirt/qemu/*/monitor.sock',
    '/var/lib/libvirt/qemu/channel/target/*/*', '/run/libvirt/qemu/channel/*/*',
    '$XDG_RUNTIME_DIR/libvirt/qemu/run/channel/*/*',
    '$XDG_CONFIG_HOME/libvirt/qemu/lib/*/monitor.sock',
    '/run/qemu-server/*.qmp', '/run/qemu-server/*.qga', '/run/qemu-server/*.vnc',
    '/run/qemu-server/*.serial*',
    '/var/run/qemu-server/*.qmp', '/var/run/qemu-server/*.qga',
    '$XDG_RUNTIME_DIR/qmp_*.sock', '~/.lima/*/qmp.sock', '~/.lima/*/serial*.sock',
  },
  owners  = {
    'qemu-system-x86_64', 'qemu-system-i386', 'qemu-system-aarch64', 'qemu-system-arm',
    'qemu-system-riscv64', 'qemu-system-ppc64', 'qemu-system-s390x', 'qemu-kvm', 'kvm',
    'qemu-storage-daemon', 'qemu-nbd', 'virtiofsd', 'swtpm',
  },
}
