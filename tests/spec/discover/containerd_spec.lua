--- containerd is found by what serves and by what uses it.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('containerd discovery', function()
  it('reads config.toml, nerdctl.toml and crictl.yaml', function()
    local list, problems = tree.discover('containerd', tree.host { tree = 'containerd' })
    assert.are.same({
      'containerd path /run/k3s-odd/containerd.sock '
        .. '(address in /home/u/.config/nerdctl/nerdctl.toml)',
      'containerd path /srv/cri/cri.sock (runtime-endpoint in /etc/crictl.yaml)',
      'containerd path /srv/cri/image.sock (image-endpoint in /etc/crictl.yaml)',
      'containerd path /srv/ctd/containerd.sock ([grpc] in /etc/containerd/config.toml)',
      'containerd path /srv/ctd/debug.sock ([debug] in /etc/containerd/config.toml)',
    }, list)
    assert.are.same({}, problems)
  end)

  it('reads CONTAINERD_ADDRESS and NERDCTL_TOML', function()
    local host = tree.host { env = { CONTAINERD_ADDRESS = '/srv/c.sock', NERDCTL_TOML = '/srv/n' },
      files = { ['/srv/n'] = 'address = "/srv/n.sock"' } }
    assert.are.same({
      'containerd path /srv/c.sock (variable CONTAINERD_ADDRESS)',
      'containerd path /srv/n.sock (address in /srv/n)',
    }, (tree.discover('containerd', host)))
  end)
end)
