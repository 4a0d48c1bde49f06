--- An OpenSSH agent, at a path of its own or at the one it chooses.
return {
  packages = { 'openssh-client' },
  programs = { 'ssh-agent' },
  --- @param options path: where it listens
  start = function(account, options)
    local path = options.path or account.runtime .. '/ssh-agent.sock'
    return {
      argv = { 'ssh-agent', '-D', '-a', path },
      sockets = { path },
      ready = { { 'agent', path } },
      exports = { SSH_AUTH_SOCK = path },
    }
  end,
}
