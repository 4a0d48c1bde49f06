--- Docker's engines are found wherever a person may have written them down.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('docker discovery', function()
  it('reads contexts with their keys, and daemon.json', function()
    local list, problems = tree.discover('docker', tree.host { tree = 'docker' })
    assert.are.same({
      'docker path /home/u/.colima/default/docker.sock (docker context "colima")',
      'docker path /srv/engine/docker.sock ("hosts" in /etc/docker/daemon.json)',
      'docker secret /home/u/.docker/contexts/tls/7fb1 (keys of docker context "far")',
      'docker tcp 127.0.0.1:4243 (docker context "far")',
    }, list)
    assert.are.same({}, problems)
  end)

  it('says which context is the current one', function()
    local findings = require('scripts.discover.docker').discover(tree.host { tree = 'docker' })
    assert.are.equal('the current one', findings[1].detail)
  end)

  for value, wanted in pairs {
    ['unix:///srv/d.sock'] = 'docker path /srv/d.sock (variable DOCKER_HOST)',
    ['/srv/bare.sock'] = 'docker path /srv/bare.sock (variable DOCKER_HOST)',
    ['tcp://127.0.0.1:99'] = 'docker tcp 127.0.0.1:99 (variable DOCKER_HOST)',
    ['unix://@d'] = 'docker abstract d (variable DOCKER_HOST)',
  } do
    it('reads DOCKER_HOST=' .. value, function()
      local host = tree.host { env = { DOCKER_HOST = value } }
      assert.are.same({ wanted }, (tree.discover('docker', host)))
    end)
  end

  it('finds nothing on this host behind ssh, a descriptor or a pipe of Windows', function()
    for value, wanted in pairs {
      ['ssh://u@box'] = {}, ['fd://'] = {},
      ['npipe:////./pipe/docker_engine'] = {
        'variable DOCKER_HOST: a named pipe of Windows: nothing on Linux connects to it' },
    } do
      local list, problems = tree.discover('docker', tree.host { env = { DOCKER_HOST = value } })
      assert.are.same({ {}, wanted }, { list, problems })
    end
  end)

  it('finds rootless, Desktop, Colima, OrbStack, Rancher and Lima engines', function()
    local host = tree.host { env = { COLIMA_HOME = '/srv/colima', LIMA_HOME = '/srv/lima' },
      files = { ['/home/u/.docker/desktop/not-a-socket.sock'] = '' },
      sockets = {
        '/run/user/1000/docker.sock', '/home/u/.docker/run/docker.sock',
        '/home/u/.docker/desktop/docker.sock', '/home/u/.orbstack/run/docker.sock',
        '/home/u/.rd/docker.sock', '/home/u/.colima/work/docker.sock',
        '/srv/colima/default/docker.sock', '/srv/lima/vm/sock/docker.sock',
      } }
    assert.are.same({
      'docker path /home/u/.colima/work/docker.sock (Colima profile)',
      'docker path /home/u/.docker/desktop/docker.sock (Docker Desktop)',
      'docker path /home/u/.docker/run/docker.sock (rootless Docker)',
      'docker path /home/u/.orbstack/run/docker.sock (OrbStack)',
      'docker path /home/u/.rd/docker.sock (Rancher Desktop)',
      'docker path /run/user/1000/docker.sock (rootless Docker)',
      'docker path /srv/colima/default/docker.sock (Colima profile)',
      'docker path /srv/lima/vm/sock/docker.sock (Lima machine)',
    }, (tree.discover('docker', host)))
  end)

  it('follows DOCKER_CONFIG, whose config.json is a credential', function()
    local host = tree.host { env = { DOCKER_CONFIG = '/srv/conf' }, files = {
      ['/srv/conf/config.json'] = '{"currentContext":"gone"}',
      ['/srv/conf/contexts/meta/1/meta.json'] =
        '{"Name":"x","Endpoints":{"docker":{"Host":"unix:///srv/x.sock"}}}',
    } }
    local list, problems = tree.discover('docker', host)
    assert.are.same({
      'docker path /srv/x.sock (docker context "x")',
      'docker secret /srv/conf/config.json (variable DOCKER_CONFIG)',
    }, list)
    assert.are.same({ 'docker: the current context "gone" is not among the known ones' }, problems)
  end)

  it('refuses a meta file by its size, and JSON that is none', function()
    local host = tree.host { files = {
      ['/home/u/.docker/contexts/meta/big/meta.json'] = ('x'):rep(2 * 1024 * 1024),
      ['/home/u/.docker/contexts/meta/list/meta.json'] = '"text"',
      ['/home/u/.docker/contexts/meta/odd/meta.json'] =
        '{"Name":7,"Endpoints":{"docker":[1,null]}}',
      ['/home/u/.docker/contexts/meta/torn/meta.json'] = '{"Name":',
      ['/etc/docker/daemon.json'] = '{"hosts":{"a":1}}',
    } }
    local list, problems = tree.discover('docker', host)
    assert.are.same({}, list)
    assert.are.same({
      '"/home/u/.docker/contexts/meta/big/meta.json": larger than 1048576 bytes',
      '"/home/u/.docker/contexts/meta/list/meta.json": not a JSON object',
      '"/home/u/.docker/contexts/meta/torn/meta.json": Expected value but found T_END at '
        .. 'character 9',
    }, problems)
  end)

  it('escapes a hostile context name and address', function()
    local host = tree.host { files = { ['/home/u/.docker/contexts/meta/1/meta.json'] =
      '{"Name":"a\\u001b[2J\\n--","Endpoints":{"docker":{"Host":"unix:///x\\u0007"}}}' } }
    local list, problems = tree.discover('docker', host)
    assert.are.same({}, list)
    assert.are.same({
      'docker context "a\\e[2J\\n--": holds control characters: "unix:///x\\x07"' }, problems)
  end)
end)
