-- `socket`: one Unix socket by path, glob or abstract name, whoever owns it.

return {
  {
    name = 'socket.refuse', side = 'refuse', takes = 'sockets', options = { 'why' },
    doc = 'Refuses a socket for good, under every name it has: connect answers ECONNREFUSED.',
    examples = {
      { text = "socket.refuse '/srv/vault/agent.sock'" },
      { text = "socket.refuse { '@vault', 'unix:///srv/v.sock', why = 'hands out tokens' }" },
    },
  },
  {
    name = 'socket.grant', side = 'grant', takes = 'sockets', options = { 'why' },
    doc = 'Grants exactly this socket where only defaults refuse it.',
    examples = { { text = "socket.grant '/run/postgresql/.s.PGSQL.5432'" } },
  },
}
