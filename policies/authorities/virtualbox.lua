-- VirtualBox's manager, one for each user.
return record {
  name    = 'virtualbox',
  grants  = 'runs virtual machines as you, with any of your folders and devices inside',
  sockets = { '/tmp/.vbox-*-ipc/ipcd' },
  env     = { VBOX_IPC_SOCKETID = 'name', VBOX_USER_HOME = 'name' },
  owners  = { 'VBoxXPCOMIPCD', 'VBoxSVC' },
}
