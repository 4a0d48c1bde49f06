-- The command sockets of running LXC containers, which are abstract.
return record {
  name     = 'lxc',
  grants   = 'enters, reconfigures and stops the containers of the same user (root: all of them)',
  abstract = { '/var/lib/lxc/*/command', '/home/*/.local/share/lxc/*/command', 'lxc/*/command' },
  owners   = { 'lxc-start', 'lxc-execute' },
}
