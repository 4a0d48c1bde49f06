--- A screen session. Its socket is connected and no more: what it speaks is a private structure of
--- its version.
return {
  packages = { 'screen' },
  programs = { 'screen' },
  start = function(account)
    local path = '/run/screen/S-' .. account.name .. '/{pid}.rig'
    return {
      argv = { 'screen', '-D', '-m', '-S', 'rig' },
      sockets = { path },
      ready = { { 'connect', path } },
    }
  end,
}
