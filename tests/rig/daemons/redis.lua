--- Redis on a socket that is on no list.
return {
  packages = { 'redis-server' },
  programs = { 'redis-server' },
  --- @param options path: its socket
  start = function(account, options)
    local path = options.path or account.runtime .. '/redis.sock'
    return {
      argv = { 'redis-server', '--port', '0', '--save', '', '--unixsocket', path },
      sockets = { path },
      ready = { { 'redis', path } },
    }
  end,
}
