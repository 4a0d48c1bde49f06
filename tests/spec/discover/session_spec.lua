--- The caller's own variables are read as the authority records say.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('session discovery', function()
  it('reads every variable of a record, also those that lead to its credentials', function()
    local host = tree.host { env = {
      XCOOKIES = '/srv/[1]',
      DBUS_SESSION_BUS_ADDRESS = 'unix:path=/srv/b%20us,guid=1;unix:abstract=/tmp/dbus-x',
      DISPLAY = ':7', XAUTHORITY = '/srv/xauth', WAYLAND_DISPLAY = 'wl', DOCKER_CONTEXT = 'far',
      UNRELATED_SOCK = '/srv/unrelated' } }
    local list, problems = tree.discover('session', host)
    assert.are.same({
      'session_bus abstract /tmp/dbus-x (variable DBUS_SESSION_BUS_ADDRESS)',
      'session_bus path /srv/b us (variable DBUS_SESSION_BUS_ADDRESS)',
      'wayland path /run/user/1000/wl (variable WAYLAND_DISPLAY)',
      'x11 abstract /tmp/.X11-unix/X7 (variable DISPLAY)',
      'x11 path /tmp/.X11-unix/X7 (variable DISPLAY)',
      'x11 secret /srv/xauth (variable XAUTHORITY)',
      'x11 secret_glob /srv/[[]1]/* (variable XCOOKIES)',
    }, list)
    assert.are.same({}, problems)
  end)

  it('leaves alone what is a file or a folder', function()
    local host = tree.host { files = { ['/srv/dir/file'] = '' },
      env = { SSH_AUTH_SOCK = '/srv/dir/file', DOCKER_HOST = 'unix:///srv/dir' } }
    assert.are.same({}, (tree.discover('session', host)))
  end)

  it('reports what it cannot read, escaped and cut', function()
    local _, problems = tree.discover('session', tree.host { env = {
      DBUS_SESSION_BUS_ADDRESS = 'unix:path=/a\27[2J', SSH_AUTH_SOCK = ('x'):rep(100000) } })
    assert.are.same({
      'variable DBUS_SESSION_BUS_ADDRESS: holds control characters: "unix:path=/a\\e[2J"',
      'variable SSH_AUTH_SOCK: longer than 65536 bytes: "' .. ('x'):rep(60)
        .. '..." (100000 bytes)',
    }, problems)
  end)
end)
