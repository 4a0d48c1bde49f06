-- polkit's root helper that checks passwords. Its daemon is on the system bus.
return record {
  name    = 'polkit',
  grants  = 'tries passwords against a root helper, and answers its questions for other programs',
  sockets = { '/run/polkit/agent-helper.socket' },
  env     = { POLKIT_AGENT_SOCKET_PATH = 'path' },
}
