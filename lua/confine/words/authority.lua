-- `authority`: a named power on the host that a connection or a file hands out.

return {
  {
    name = 'authority.refuse', side = 'refuse', takes = 'names', options = { 'why' },
    doc = 'Refuses an authority for good: its sockets, names, variables and credential files. '
      .. 'No grant lifts it.',
    examples = { { text = "authority.refuse { 'docker', why = 'builds run elsewhere' }" } },
  },
  {
    name = 'authority.grant', side = 'grant', takes = 'names', options = { 'why' },
    doc = 'Grants an authority that only defaults refuse: its socket is reachable, '
      .. 'its variable is set inside.',
    examples = { { text = "authority.grant 'ssh_agent'" } },
  },
  {
    name = 'authority.add', side = 'refuse', takes = 'addition',
    doc = 'Extends a record (or makes a new one): more sockets, variables, owners. '
      .. 'A default, so a grant of the authority lifts it.',
    examples = {
      { text = "authority.add('docker', { sockets = { '/srv/engine/docker.sock' } })" },
    },
  },
}
