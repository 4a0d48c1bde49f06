-- Application servers whose protocol lets a client choose the program: FastCGI and uwsgi.
return record {
  name    = 'app_server',
  grants  = 'runs any script or code as the user of the web application',
  sockets = {
    '/run/php/*.sock', '/var/run/php/*.sock', '/run/php-fpm/*.sock', '/var/run/php-fpm/*.sock',
    '/run/php*-fpm.sock', '/run/uwsgi/*.sock', '/run/uwsgi/app/*/socket', '/run/uwsgi/*/socket',
    '/run/fcgiwrap.socket', '/var/run/fcgiwrap.socket',
  },
  owners  = { 'uwsgi', 'fcgiwrap' },
}
