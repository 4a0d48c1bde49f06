-- `device`: device nodes; /dev is a fresh one with null, zero, full, random, urandom and tty.

return {
  {
    name = 'device.grant', side = 'grant', takes = 'exact_paths', options = { 'why' },
    doc = 'Puts a device of the host into the fresh /dev.',
    examples = { { text = "device.grant '/dev/kvm'" } },
  },
}
