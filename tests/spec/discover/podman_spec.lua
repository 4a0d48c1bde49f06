--- Podman's services and machines are found in its settings and folders.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('podman discovery', function()
  it('reads the connections of both kinds of settings, with their keys', function()
    local list, problems = tree.discover('podman', tree.host { tree = 'podman' })
    assert.are.same({
      'podman path /srv/podman/inline.sock (podman connection "inline")',
      'podman path /srv/podman/json.sock (podman connection "json")',
      'podman path /srv/podman/near.sock (podman connection "near")',
      'podman secret /home/u/.local/share/containers/podman/machine/machine '
        .. '(key of podman connection "json")',
      'podman secret /home/u/.ssh/podman-machine (key of podman connection "far one")',
    }, list)
    assert.are.same({}, problems)
  end)

  it('reads CONTAINER_HOST and the files that variables name', function()
    local host = tree.host { env = { CONTAINER_HOST = 'unix:///srv/p.sock',
      CONTAINERS_CONF = '/srv/c.conf', PODMAN_CONNECTIONS_CONF = '/srv/c.json' }, files = {
      ['/srv/c.conf'] = '[engine.service_destinations.a]\nuri = "unix:///srv/a.sock"\n',
      ['/srv/c.json'] = '{"Connection":{"Connections":{"b":{"URI":"unix:///srv/b.sock"}}}}',
    } }
    assert.are.same({
      'podman path /srv/a.sock (podman connection "a")',
      'podman path /srv/b.sock (podman connection "b")',
      'podman path /srv/p.sock (variable CONTAINER_HOST)',
    }, (tree.discover('podman', host)))
  end)

  it('finds the sockets of machines and services', function()
    local data = '/home/u/.local/share/containers/podman/machine/'
    local host = tree.host { sockets = { '/run/user/1000/podman/podman-machine-default-api.sock',
      data .. 'podman.sock', data .. 'qemu/podman.sock', '/tmp/podman/gvproxy.sock' } }
    assert.are.same({
      'podman path ' .. data .. 'podman.sock (podman machine or service)',
      'podman path ' .. data .. 'qemu/podman.sock (podman machine or service)',
      'podman path /run/user/1000/podman/podman-machine-default-api.sock '
        .. '(podman machine or service)',
      'podman path /tmp/podman/gvproxy.sock (podman machine or service)',
    }, (tree.discover('podman', host)))
  end)
end)
