--- Sockets that are not on the base list: those that must stay reachable, those that a policy
--- names, and those that are not there.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local session = require 'tests.rig.session'

local me = rig.me

describe('sockets, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)
  after_each(function()
    rig.stop_all()
    rig.remove '/etc/confine-lua'
  end)

  for _, name in ipairs { 'postgres', 'redis' } do
    it(name .. ' is on no list and stays reachable', function()
      local lacks = rig.lacks(name)
      if lacks then
        pending(lacks)
        return
      end
      local daemon = rig.start(name)
      assert.are.equal('reached', rig.outside(daemon.ready[1]).result)
      assert.are.equal('reached', rig.inside(daemon.ready[1]).result)
    end)
  end

  it('an off-list socket beside a refused one stays reachable', function()
    local folder = place.folder(me.home .. '/sockets', me)
    local engine = rig.start('listener', { path = folder .. '/engine.sock' })
    local other = rig.start('listener', { path = folder .. '/database.sock' })
    local run = { env = engine.exports }
    assert.are.equal('reached', rig.outside(engine.ready[1]).result)
    assert.are.equal('ECONNREFUSED', rig.inside(engine.ready[1], run).errno)
    assert.are.equal('reached', rig.inside(other.ready[1], run).result)
  end)

  it('an off-list socket of each type is reachable, and refused once a policy names it', function()
    local attempts = { stream = 'http', seqpacket = 'connect-seqpacket', datagram = 'send' }
    for kind, attempt in pairs(attempts) do
      local path = me.home .. '/off-list-' .. kind
      rig.start('listener', { path = path, type = kind })
      assert.are.equal('reached', rig.outside({ attempt, path }).result)
      assert.are.equal('reached', rig.inside({ attempt, path }).result)
      local policy = rig.policy('named', ("socket.refuse '%s'\n"):format(path))
      assert.are.equal('ECONNREFUSED', rig.inside({ attempt, path }, { flags = { '-p', 'default',
        '-p', policy } }).errno)
    end
  end)

  it('the policy strict refuses FIFOs beside sockets, early and late ones', function()
    local early, late = me.runtime .. '/early.fifo', me.runtime .. '/late.fifo'
    local function write(fifo) return ('echo x 1<> %s && echo wrote'):format(fifo) end
    for _, fifo in ipairs { early, late } do
      rig.remove(fifo)
      assert.are.equal(0, rig.run({ 'mkfifo', '-m', '600', fifo }).code)
      assert.are.equal('wrote\n', rig.run({ 'sh', '-c', write(fifo) }).out)
    end
    rig.remove(late)
    local inside = session.open { flags = { '-p', 'strict' } }
    assert.are.equal(0, rig.run({ 'mkfifo', '-m', '600', late }).code)
    for _, fifo in ipairs { early, late } do
      assert.are.same({ fifo, '' }, { fifo, inside:shell(write(fifo)).out })
    end
    inside:close()
  end)

  it('the policy strict refuses what no list names', function()
    place.folder('/srv/open', me)
    for _, folder in ipairs { me.home, me.runtime, '/srv/open' } do
      local daemon = rig.start('listener', { path = folder .. '/unlisted.sock' })
      assert.are.equal('reached', rig.outside(daemon.ready[1]).result)
      local inside = rig.inside(daemon.ready[1], { flags = { '-p', 'strict' } })
      assert.are.same({ folder, 'refused' }, { folder, inside.result })
    end
  end)

  it('a socket that only root may open is reported as such', function()
    if me.as == 'root' then return end
    rig.start('listener', { path = '/run/docker.sock', account = 'root' })
    assert(require 'posix.sys.stat'.chmod('/run/docker.sock', 384))
    assert.are.equal('EACCES', rig.outside({ 'connect', '/run/docker.sock' }).errno)
    local inside = rig.inside { 'connect', '/run/docker.sock' }
    assert.are.equal('refused', inside.result)
    local told = rig.run { rig.program, 'sockets', '--all' }
    assert.are.equal('', told.err)
    local line = told.out:match '[^\n]*/run/docker%.sock[^\n]*' or told.out
    assert.is_true(line:find('root', 1, true) ~= nil, line)
  end)

  it('a new authority dropped into the site folder is refused at the next run', function()
    local path = me.home .. '/vault.sock'
    local daemon = rig.start('listener', { path = path })
    assert.are.equal('reached', rig.outside(daemon.ready[1]).result)
    assert.are.equal('reached', rig.inside(daemon.ready[1]).result)
    rig.site('authorities/vault.lua', ([[
return record {
  name = 'vault',
  grants = 'the secrets of the house',
  sockets = { '%s' },
}
]]):format(path))
    assert.are.equal('ECONNREFUSED', rig.inside(daemon.ready[1]).errno)
  end)

  it('the same socket is refused by its other names', function()
    local path = me.runtime .. '/bus'
    local daemon = rig.start('session_bus')
    rig.symlink(path, me.home .. '/bus-link')
    for _, attempt in ipairs {
      { 'connect-relative', path }, { 'connect-folder-fd', path }, { 'connect-own-root', path },
      { 'connect', me.home .. '/bus-link' },
      { 'connect-own-root', '/var' .. path }, { 'connect', '/var' .. path },
    } do
      local finding = rig.outside(attempt)
      assert.are.same({ attempt[1], 'reached' }, { attempt[1], finding.result })
      finding = rig.inside(attempt, { env = daemon.exports })
      assert.are.same({ attempt[1], attempt[2], 'ECONNREFUSED' },
        { attempt[1], attempt[2], finding.errno })
    end
  end)

  it('a name that was bound through a descriptor is not looked up among our own', function()
    local folder = place.folder(me.home .. '/.docker/run', me)
    local server = process.start { env = place.environment(me), cwd = '/',
      argv = place.argv_as(me, { 'python3', '-c', 'import os, socket, sys\n' ..
        'fd = os.open(sys.argv[1], os.O_PATH)\nos.dup2(fd, 103)\n' ..
        's = socket.socket(socket.AF_UNIX)\ns.bind("/proc/self/fd/103/docker.sock")\n' ..
        's.listen()\nos.close(103)\nos.close(fd)\nwhile True: s.accept()', folder }) }
    local attempt = { 'connect', folder .. '/docker.sock' }
    local outside = process.poll(10, function()
      return rig.outside(attempt).result == 'reached'
    end)
    local inside = rig.inside(attempt, { wrap_as = { 'bash', '-c', 'exec 103</; exec "$@"', 'x' } })
    process.stop(server)
    rig.remove(me.home .. '/.docker')
    assert.are.same({ true, 'ECONNREFUSED' }, { outside, inside.errno }, inside.detail)
  end)

  it('a refused socket that was bound through a link is refused where it lies', function()
    local folder = place.folder('/srv/hall', me)
    rig.symlink('/srv/hall', '/srv/door')
    place.folder('/run/containerd')
    local names = { ['/run/containerd/hall.sock'] = { '/var/run/containerd/hall.sock', 'root' },
      [folder .. '/hall.sock'] = { '/srv/door/hall.sock' } }
    local policy = rig.policy('hall', "socket.refuse { '/srv/hall/*.sock', '/run/containerd/*' }\n")
    for path, bound in pairs(names) do
      local daemon = rig.start('listener', { path = bound[1], account = bound[2] })
      if bound[2] then rig.share(path) end
      local attempt = { 'http', path }
      local seen = { rig.outside(attempt).result }
      for i, flags in ipairs { { '-p', 'default', '-p', policy }, { '-p', 'strict' } } do
        seen[i + 1] = rig.inside(attempt, { flags = flags }).errno
      end
      -- The daemon goes on without its name.
      os.remove(path)
      seen[4] = rig.confined({ argv = { 'true' } }).code
      seen[5] = rig.confined({ argv = { 'true' }, flags = { '-p', 'strict' } }).code
      rig.stop(daemon)
      assert.are.same({ path, 'reached', 'ECONNREFUSED', 'ECONNREFUSED', 0, 0 },
        { path, table.unpack(seen) })
    end
    rig.remove(folder)
    rig.remove '/srv/door'
    rig.remove '/run/containerd'
  end)
end)
