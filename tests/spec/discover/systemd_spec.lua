--- systemd's units and environment.d say where services listen and what they are told.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('systemd discovery', function()
  it('reads user and system units, drop-ins and environment.d', function()
    local list, problems = tree.discover('systemd', tree.host { tree = 'systemd',
      env = { XDG_RUNTIME_DIR = '/run/user/1000' } })
    assert.are.same({
      'docker path /run/docker.sock (unit docker.socket)',
      'docker path /run/house/docker.sock (unit docker.socket)',
      'docker path /srv/d.sock (unit docker.service)',
      'docker path /srv/default/d.sock '
        .. '(variable DOCKER_HOST in /home/u/.config/environment.d/10-agents.conf)',
      'docker tcp 127.0.0.1:4444 (unit docker.service)',
      'docker tcp localhost:2376 (unit docker.socket)',
      'session_bus abstract odd-bus (unit bus.socket)',
      'session_bus path /run/user/1000/odd-bus (unit bus.socket)',
      'ssh_agent glob /run/user/1000/templ/* (variable SSH_AUTH_SOCK in unit templ@.service)',
      'ssh_agent path /home/u/odd-agent.sock (unit odd-agent.service)',
      'ssh_agent path /run/user/1000/base/agent.sock '
        .. '(variable SSH_AUTH_SOCK in /home/u/.config/environment.d/10-agents.conf)',
      'ssh_agent path /run/user/1000/odd/agent.sock '
        .. '(variable SSH_AUTH_SOCK in unit odd-agent.service)',
    }, list)
    assert.are.same({}, problems)
  end)

  it('reads hostile unit files without delay', function()
    local start = os.clock()
    for _, part in ipairs { '\\\n', '=\n', 'A', '"', ' ', '[', 'Environment="', 'ExecStart=\\' } do
      tree.discover('systemd', tree.host { files = { ['/etc/systemd/user/x.service'] =
        '[Service]\n' .. part:rep(900000 // #part) } })
    end
    assert.is_true(os.clock() - start < 5)
  end)
end)
