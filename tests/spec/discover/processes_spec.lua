--- What the caller's other processes use is found in their environments.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

local function process(pid, ...)
  return { pid = pid, comm = 'p' .. pid, environ = table.concat({ ... }, '\0') .. '\0' }
end

describe('process discovery', function()
  it('reads the variables of records, with the folders of that process', function()
    local host = tree.host { processes = {
      process(10, 'PATH=/bin', 'SSH_AUTH_SOCK=/srv/odd.sock', 'junk', '=x', 'HOME=/home/v'),
      process(11, 'WAYLAND_DISPLAY=wl', 'XDG_RUNTIME_DIR=/srv/run', 'DOCKER_HOST='),
      process(12, 'SSH_AUTH_SOCK=/srv/odd.sock', 'HOME=/home/v', 'XAUTHORITY=/srv/xauth'),
      { pid = 13, comm = 'gone' },
    } }
    local list, problems = tree.discover('processes', host)
    assert.are.same({
      'ssh_agent path /srv/odd.sock (variable SSH_AUTH_SOCK)',
      'wayland path /srv/run/wl (variable WAYLAND_DISPLAY)',
      'x11 secret /srv/xauth (variable XAUTHORITY)',
    }, list)
    assert.are.same({}, problems)
  end)

  it('takes what a process in a container names only where it is here too', function()
    local inside = process(20, 'DOCKER_HOST=unix:///srv/in.sock', 'SSH_AUTH_SOCK=/srv/both.sock')
    inside.other_view = true
    local host = tree.host { processes = { inside }, sockets = { '/srv/both.sock' } }
    assert.are.same({ 'ssh_agent path /srv/both.sock (variable SSH_AUTH_SOCK)' },
      (tree.discover('processes', host)))
  end)

  it('reads environments of 2 MB, also without a single name, without delay', function()
    local start = os.clock()
    local host = tree.host { processes = {
      process(30, ('A'):rep(2000000)),
      process(31, ('A=b\0'):rep(500000) .. 'SSH_AUTH_SOCK=/srv/late.sock'),
      process(32, 'SSH_AUTH_SOCK=' .. ('/x'):rep(1000000)),
    } }
    local list, problems = tree.discover('processes', host)
    assert.are.same({ 'ssh_agent path /srv/late.sock (variable SSH_AUTH_SOCK)' }, list)
    assert.are.same({ 'process 32 (p32), variable SSH_AUTH_SOCK: longer than 65536 bytes: "'
      .. ('/x'):rep(30) .. '..." (2000000 bytes)' }, problems)
    assert.is_true(os.clock() - start < 3)
  end)

  it('counts the problems that it does not list', function()
    local processes = {}
    for pid = 1, 60 do processes[pid] = process(pid, 'SSH_AUTH_SOCK=rel' .. pid) end
    local _, problems = tree.discover('processes', tree.host { processes = processes })
    assert.are.equal(51, #problems)
    assert.are.equal('process 1 (p1), variable SSH_AUTH_SOCK: not an absolute path: "rel1"',
      problems[1])
    assert.are.equal('10 more problems of this kind', problems[51])
  end)
end)
