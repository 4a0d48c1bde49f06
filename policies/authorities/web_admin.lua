-- Configuration interfaces of web servers and load balancers.
return record {
  name    = 'web_admin',
  grants  = 'reconfigures the web server: its sites, certificates, files and applications',
  sockets = {
    '/run/control.unit.sock', '/var/run/control.unit.sock', '/run/unit/control.unit.sock',
    '/run/haproxy/*.sock', '/run/haproxy-master.sock', '/var/lib/haproxy/stats',
    '/run/haproxy.sock', '/var/run/haproxy/*.sock', '/run/caddy/admin.sock',
  },
  env     = { CADDY_ADMIN = 'path-or-name' },
  tcp     = { 'localhost:2019' },
  owners  = { 'unitd', 'haproxy', 'caddy' },
}
