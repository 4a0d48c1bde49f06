--- A listening socket of any type at any path, which answers as an engine answers /_ping.
local ATTEMPTS = { stream = 'http', seqpacket = 'connect-seqpacket', datagram = 'send' }

return {
  packages = { 'lua5.4' },
  programs = { 'lua5.4' },
  --- @param options path: its socket; type: stream (default), seqpacket or datagram
  start = function(_, options)
    local kind = options.type or 'stream'
    return {
      argv = { 'sh', '-c', 'cd /srv/tree && exec lua5.4 tests/rig/listen.lua "$@"', 'listen', kind,
        options.path },
      sockets = { options.path },
      ready = { { ATTEMPTS[kind], options.path } },
      exports = { DOCKER_HOST = 'unix://' .. options.path },
    }
  end,
}
