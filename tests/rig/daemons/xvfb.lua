--- An X server without a screen: a path and an abstract name.
return {
  packages = { 'xvfb' },
  programs = { 'Xvfb' },
  --- @param options display: its number
  start = function(_, options)
    local display = options.display or 97
    local path = '/tmp/.X11-unix/X' .. display
    return {
      argv = { 'Xvfb', ':' .. display },
      sockets = { path, '@' .. path },
      ready = { { 'x11', path }, { 'x11', '@' .. path } },
      exports = { DISPLAY = ':' .. display },
    }
  end,
}
