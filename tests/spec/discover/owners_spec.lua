--- A listening socket is an authority's when its owner is that authority's daemon.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('owner discovery', function()
  it('goes by the executable, else by the name of the process', function()
    local sockets = { '/srv/a.sock', '/srv/b.sock', '/srv/pg.sock', '/srv/unknown.sock' }
    local list, problems = tree.discover('owners', tree.host { sockets = sockets, listening = {
      { path = '/srv/a.sock', owner = { pid = 5, comm = 'x', exe = '/usr/bin/ssh-agent' } },
      { path = '/srv/b.sock', owner = { pid = 6, comm = 'x', exe = '/opt/dockerd (deleted)' } },
      { abstract = 'bus', owner = { pid = 7, comm = 'dbus-daemon' } },
      { path = '/srv/pg.sock', owner = { pid = 8, comm = 'postgres', exe = '/usr/bin/postgres' } },
      { path = '/srv/unknown.sock' },
      { owner = { pid = 9, comm = 'ssh-agent', exe = '/usr/bin/ssh-agent' } },
    } })
    assert.are.same({
      'docker path /srv/b.sock (listening socket of dockerd)',
      'session_bus abstract bus (listening socket of dbus-daemon)',
      'ssh_agent path /srv/a.sock (listening socket of ssh-agent)',
    }, list)
    assert.are.same({}, problems)
  end)

  it('names a socket as it can be reached, not as it was bound', function()
    local owner = { pid = 5, comm = 'ssh-agent', exe = '/usr/bin/ssh-agent' }
    local list = tree.discover('owners', tree.host { sockets = { '/srv/cm-x' }, listening = {
      { path = '/srv/cm-x.Ab3dEf6hIj9kLm2n', owner = owner },
      { path = '/srv/unlinked.sock', owner = owner },
      { path = 'relative.sock', owner = owner },
    } })
    assert.are.same({ 'ssh_agent path /srv/cm-x (listening socket of ssh-agent)' }, list)
  end)

  it('says so where the sockets cannot be had', function()
    local list, problems = tree.discover('owners', tree.host {})
    assert.are.same({ {}, { 'listening sockets: not to be had here' } }, { list, problems })
  end)
end)
