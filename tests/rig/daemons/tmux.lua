--- A tmux server with its default socket.
return {
  packages = { 'tmux' },
  programs = { 'tmux' },
  start = function(account)
    local folder = '/tmp/tmux-' .. math.tointeger(account.uid)
    return {
      argv = { 'tmux', '-D', '-f', '/dev/null' },
      sockets = { folder .. '/default' },
      ready = { { 'tmux', folder .. '/default' } },
      exports = { TMUX = folder .. '/default,1,0' },
    }
  end,
}
