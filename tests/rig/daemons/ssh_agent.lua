--- An OpenSSH agent.
return {
  packages = { 'openssh-client' },
  programs = { 'ssh-agent' },
  --- @param options path: where it listens; program: a copy of it under another name
  start = function(account, options)
    local path = options.path or account.runtime .. '/ssh-agent.sock'
    return {
      argv = { options.program or 'ssh-agent', '-D', '-a', path },
      sockets = { path },
      ready = { { 'agent', path } },
      exports = { SSH_AUTH_SOCK = path },
    }
  end,
}
