--- A daemon whose sockets nobody may see is still found by its command line.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

local function process(pid, comm, ...)
  return { pid = pid, comm = comm, command = table.concat({ ... }, '\0') .. '\0' }
end

describe('command line discovery', function()
  it('reads the options of known daemons and of no other program', function()
    local inside = process(5, 'ssh-agent', 'ssh-agent', '-a', '/srv/inside.sock')
    inside.other_view = true
    local list, problems = tree.discover('command_lines', tree.host { processes = {
      process(1, 'ssh-agent', 'ssh-agent', '-D', '-a', '/srv/a.sock'),
      process(2, 'postgres', 'postgres', '-a', '/srv/pg.sock', 'unix:///srv/pg'),
      process(3, 'x', '/usr/bin/dockerd', '-H', 'unix:///srv/no.sock'),
      { pid = 4, comm = 'x', exe = '/usr/bin/dockerd (deleted)',
        command = 'dockerd\0-H\0unix:///srv/d.sock\0' },
      inside,
      { pid = 6, comm = 'ssh-agent' },
    } })
    assert.are.same({
      'docker path /srv/d.sock (command line of dockerd)',
      'ssh_agent path /srv/a.sock (command line of ssh-agent)',
    }, list)
    assert.are.same({}, problems)
  end)
end)
