-- MUNGE, the identity service of Slurm and other cluster schedulers.
return record {
  name    = 'munge',
  grants  = 'proves to the cluster that it is you: submits, changes and cancels your jobs',
  sockets = { '/run/munge/munge.socket.2', '/var/run/munge/munge.socket.2' },
  owners  = { 'munged' },
  secrets = { '/etc/munge/munge.key' },
}
