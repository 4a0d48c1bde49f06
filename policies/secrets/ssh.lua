-- ssh: private keys, and with them the hosts, agents and shared connections that the folder names.
-- The folder goes as a whole: keys have any name in it. A command that may use ssh needs
-- `file.read '~/.ssh/known_hosts'`, and `file.read '~/.ssh/config'` for its host names.
return record {
  name  = 'ssh',
  files = { '~/.ssh', '~/.putty', '$XDG_CONFIG_HOME/putty', '~/.shosts', '~/.rhosts' },
  why   = 'logs in to other machines as you',
}
