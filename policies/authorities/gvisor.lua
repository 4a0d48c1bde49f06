-- Control sockets of gVisor sandboxes.
return record {
  name     = 'gvisor',
  grants   = 'runs any command inside the gVisor sandboxes of the same user (root: all of them)',
  sockets  = {
    '/run/runsc-*.sock', '/run/runsc/runsc-*.sock', '/run/runsc/*/runsc-*.sock',
    '/var/run/runsc-*.sock', '/var/run/runsc/runsc-*.sock', '/tmp/runsc-*.sock',
  },
  abstract = { 'runsc-sandbox.*' },
  owners   = { 'runsc', 'runsc-sandbox' },
}
