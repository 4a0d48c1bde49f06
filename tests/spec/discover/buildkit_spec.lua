--- BuildKit daemons are found in their settings and among the builders of buildx.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('buildkit discovery', function()
  it('reads buildkitd.toml and the builders of buildx', function()
    local list, problems = tree.discover('buildkit', tree.host { tree = 'buildkit' })
    assert.are.same({
      'buildkit path /srv/bk/buildkitd.sock ([grpc] in /home/u/.config/buildkit/buildkitd.toml)',
      'buildkit path /srv/bk/remote.sock (buildx builder "odd")',
      'buildkit tcp 0.0.0.0:1299 ([grpc] in /home/u/.config/buildkit/buildkitd.toml)',
    }, list)
    assert.are.same({}, problems)
  end)

  it('reads BUILDKIT_HOST and finds rootless daemons', function()
    local host = tree.host { env = { BUILDKIT_HOST = 'unix:///srv/b.sock' },
      sockets = { '/run/user/1000/buildkit-odd/buildkitd.sock' } }
    assert.are.same({
      'buildkit path /run/user/1000/buildkit-odd/buildkitd.sock (rootless BuildKit)',
      'buildkit path /srv/b.sock (variable BUILDKIT_HOST)',
    }, (tree.discover('buildkit', host)))
  end)
end)
