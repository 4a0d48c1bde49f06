-- The scalars: one value each, strictest to loosest; the strictest that a layer writes holds.

return {
  {
    name = 'net', side = 'scalar', takes = 'value', values = { 'none', 'host' },
    doc = "The network: 'none' is an empty namespace (no abstract sockets either), "
      .. "'host' shares the host's.",
    examples = { { text = "net 'none'" } },
  },
  {
    name = 'proc', side = 'scalar', takes = 'value', values = { 'fresh', 'auto' },
    doc = "/proc: 'fresh' is a procfs of its own or no run; "
      .. "'auto' covers the host's processes where none can be mounted.",
    examples = { { text = "proc 'auto'" } },
  },
  {
    name = 'ipc', side = 'scalar', takes = 'value', values = { 'private', 'host' },
    doc = "System V and POSIX shared memory and message queues: private, or the host's.",
    examples = { { text = "ipc 'private'" } },
  },
  {
    name = 'tty', side = 'scalar', takes = 'value', values = { 'none', 'inherit' },
    doc = "The terminal: 'none' is a session without one, 'inherit' shares the caller's.",
    examples = { { text = "tty 'none'" } },
  },
  {
    name = 'userns', side = 'scalar', takes = 'value', values = { 'refused', 'granted' },
    doc = 'May the command make user namespaces of its own?',
    examples = { { text = "userns 'refused'" } },
  },
  {
    name = 'socket.default', side = 'scalar', takes = 'value', values = { 'refused', 'reachable' },
    doc = 'Sockets that no list names: reachable, or refused unless granted.',
    examples = { { text = "socket.default 'refused'" } },
  },
}
