--- Doctor: TIOCSTI, typing into the terminal of the caller.

return {
  name = 'tiocsti',
  guards = 'a command cannot type into the terminal that is used after it',
  proof = 'dev.tty.legacy_tiocsti is read; the seccomp program refuses it wherever it stands',
  missing = 'no run starts without the seccomp program',
  judge = function(seen)
    if not seen.exposed.tiocsti then return 'ok', 'this host refuses it by itself' end
    if not seen.guards.seccomp.available then return 'missing', 'open, and nothing refuses it' end
    return 'ok', 'open to other programs of this host; a run refuses it'
  end,
  remedies = {
    { does = 'switch it off for everybody (Linux 6.2 or later)',
      commands = { 'sysctl -w dev.tty.legacy_tiocsti=0' },
      source = 'https://docs.kernel.org/admin-guide/sysctl/index.html' },
  },
  examples = {
    { seen = { exposed = { tiocsti = false } }, status = 'ok', says = 'by itself' },
    { seen = { exposed = { tiocsti = true }, guards = { seccomp = { available = true } } },
      status = 'ok', says = 'a run refuses it' },
    { seen = { exposed = { tiocsti = true }, guards = { seccomp = { available = false } } },
      status = 'missing', says = 'nothing refuses it' },
  },
}
