--- Doctor: io_uring, which connects and opens past every filter.

return {
  name = 'io_uring',
  guards = 'what the seccomp program refuses cannot be had through a ring',
  proof = 'a ring is set up; in a run the seccomp program answers ENOSYS to it',
  missing = 'no run starts without the seccomp program',
  judge = function(seen)
    if not seen.exposed.io_uring then return 'ok', 'this host refuses it by itself' end
    if not seen.guards.seccomp.available then return 'missing', 'open, and nothing refuses it' end
    return 'ok', 'open to other programs of this host; a run refuses it'
  end,
  remedies = {
    { does = 'switch it off for everybody (Linux 6.6 or later)',
      commands = { 'sysctl -w kernel.io_uring_disabled=2' },
      source = 'https://docs.kernel.org/admin-guide/sysctl/kernel.html#io-uring-disabled' },
  },
  examples = {
    { seen = { exposed = { io_uring = false } }, status = 'ok', says = 'by itself' },
    { seen = { exposed = { io_uring = true }, guards = { seccomp = { available = true } } },
      status = 'ok', says = 'a run refuses it' },
    { seen = { exposed = { io_uring = true }, guards = { seccomp = { available = false } } },
      status = 'missing', says = 'nothing refuses it' },
  },
}
