-- Agents that sign with ssh keys: OpenSSH's, the desktops', GnuPG's, the password managers', those
-- for hardware keys, and agents forwarded from elsewhere.
return record {
  name     = 'ssh_agent',
  grants   = 'logs in and signs with every ssh key that the agent holds',
  sockets  = {
    -- OpenSSH: ssh-agent(1) up to 10.0, then below the home; sshd forwards to the same places
    '/tmp/ssh-*/agent.*',
    '~/.ssh/agent/*',
    -- where distributions and people start ssh-agent
    '$XDG_RUNTIME_DIR/ssh-agent', '$XDG_RUNTIME_DIR/ssh-agent.socket',
    '$XDG_RUNTIME_DIR/ssh-agent.sock', '$XDG_RUNTIME_DIR/openssh_agent',
    '$XDG_RUNTIME_DIR/ssh-agent/*', '/tmp/ssh-agent.*', '/tmp/ssh_auth_sock', '~/.ssh-agent.sock',
    -- desktops
    '$XDG_RUNTIME_DIR/gcr/ssh', '$XDG_RUNTIME_DIR/gcr/.ssh',
    '$XDG_RUNTIME_DIR/keyring/ssh', '$XDG_RUNTIME_DIR/keyring/.ssh',
    '$XDG_CACHE_HOME/keyring-*/ssh', '/tmp/keyring-*/ssh',
    -- GnuPG as an ssh agent
    '$XDG_RUNTIME_DIR/gnupg/S.gpg-agent.ssh', '$XDG_RUNTIME_DIR/gnupg/d.*/S.gpg-agent.ssh',
    '~/.gnupg/S.gpg-agent.ssh',
    -- password managers
    '~/.1password/agent.sock',
    '~/.bitwarden-ssh-agent.sock',
    '~/.var/app/com.bitwarden.desktop/data/.bitwarden-ssh-agent.sock',
    '~/snap/bitwarden/current/.bitwarden-ssh-agent.sock',
    '~/.goldwarden-ssh-agent.sock',
    '$XDG_RUNTIME_DIR/rbw/ssh-agent-socket', '$XDG_RUNTIME_DIR/rbw-*/ssh-agent-socket',
    '~/.keeper/*.ssh_agent',
    '~/.ssh/proton-pass-agent.sock', '$XDG_RUNTIME_DIR/proton-pass-agent.sock',
    -- keys in hardware
    '$XDG_RUNTIME_DIR/yubikey-agent/yubikey-agent.sock',
    '$XDG_RUNTIME_DIR/ssh-tpm-agent.sock', '/var/tmp/ssh-tpm-agent.sock',
    '/run/systemd/machine/ssh-agent',
    -- the host's agent inside a container, a virtual machine, WSL or a remote session
    '/tmp/vscode-ssh-auth-*', '$XDG_RUNTIME_DIR/vscode-ssh-auth-*',
    '/run/host-services/ssh-auth.sock', '/opt/orbstack-guest/run/host-ssh-agent.sock',
    '$XDG_RUNTIME_DIR/wezterm/agent.*', '/tmp/et_forward_sock_*/*',
    '~/.ssh/agent.sock', '~/.ssh/ssh_auth_sock', '~/.ssh/wsl2-ssh-agent.sock',
  },
  env      = {
    SSH_AUTH_SOCK = 'path', SSH_AGENT_PID = 'name',
    SSH_TPM_AUTH_SOCK = 'path', BITWARDEN_SSH_AUTH_SOCK = 'path',
  },
  variable = 'SSH_AUTH_SOCK',
  owners   = {
    'ssh-agent', 'gcr-ssh-agent', 'yubikey-agent', 'ssh-tpm-agent', 'wsl2-ssh-agent',
    'ssh-agent-mux', 'ssh-agent-switcher', 'ssh-pageant', 'etterminal',
  },
}
