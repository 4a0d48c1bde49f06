--- Doctor: vsock, which reaches the hypervisor past every network namespace.

return {
  name = 'vsock',
  guards = 'no connection to the hypervisor or to other machines of it',
  proof = 'a socket is made; in a run the seccomp program answers EAFNOSUPPORT to it',
  missing = 'no run starts without the seccomp program',
  judge = function(seen)
    if not seen.exposed.vsock then return 'ok', 'the kernel has none' end
    if not seen.guards.seccomp.available then return 'missing', 'open, and nothing refuses it' end
    return 'ok', 'open to other programs of this host; a run refuses it'
  end,
  remedies = {
    { does = 'keep the driver from being loaded, where nothing of the machine needs it',
      file = { path = '/etc/modprobe.d/vsock.conf', text = 'install vsock /bin/false' },
      source = 'https://man7.org/linux/man-pages/man7/vsock.7.html' },
  },
  examples = {
    { seen = { exposed = { vsock = false } }, status = 'ok', says = 'has none' },
    { seen = { exposed = { vsock = true }, guards = { seccomp = { available = true } } },
      status = 'ok', says = 'a run refuses it' },
    { seen = { exposed = { vsock = true }, guards = { seccomp = { available = false } } },
      status = 'missing', says = 'nothing refuses it' },
  },
}
