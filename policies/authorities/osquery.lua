-- osquery's extension socket.
return record {
  name    = 'osquery',
  grants  = 'queries this machine as osquery does, mostly as root: files, processes, settings',
  sockets = { '/var/osquery/osquery.em*', '/run/osquery/osquery.em*', '~/.osquery/shell.em*' },
  owners  = { 'osqueryd', 'osqueryi' },
}
