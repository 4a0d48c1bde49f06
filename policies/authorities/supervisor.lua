-- Process managers besides systemd: Supervisor, PM2, Monit, Process Compose, dinit, Shepherd.
return record {
  name    = 'supervisor',
  grants  = 'starts, stops and with most of them adds programs that run outside',
  sockets = {
    '/run/supervisor.sock', '/var/run/supervisor.sock', '/run/supervisor/*.sock',
    '/var/run/supervisor/*.sock', '/run/supervisord.sock', '/tmp/supervisor.sock',
    '~/.pm2/rpc.sock', '~/.pm2/pub.sock', '$PM2_HOME/rpc.sock', '$PM2_HOME/pub.sock',
    '/run/monit.sock', '/var/run/monit.sock', '/tmp/process-compose-*.sock',
    '/run/dinitctl', '/dev/dinitctl', '$XDG_RUNTIME_DIR/dinitctl',
    '/run/shepherd/socket', '/var/run/shepherd/socket', '$XDG_RUNTIME_DIR/shepherd/socket',
  },
  env     = {
    PM2_HOME = 'name', PC_SOCKET_PATH = 'path', OVERMIND_SOCKET = 'path',
    DINIT_SOCKET_PATH = 'path', SUPERVISOR_SERVER_URL = 'url',
  },
  tcp     = { 'localhost:9001', 'localhost:2812' },
  owners  = { 'supervisord', 'monit', 'process-compose', 'dinit', 'overmind', 'shepherd' },
}
