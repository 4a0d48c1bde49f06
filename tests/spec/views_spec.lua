-- What `sockets` and `explain` show a reader at 80 columns, and which variable led to a thing.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local diff = require 'confine.views.diff'
local explain = require 'confine.views.explain'
local host = require 'host'
local sockets = require 'confine.views.sockets'

--- Where the caller of the made-up host writes a line of theirs.
local OWN = '/home/ada/.config/confine-lua/user.lua'

local AUTHORITIES = {
  { name = 'docker', grants = 'root on this host', from = 'policies/authorities/docker.lua',
    sockets = { '/run/docker.sock' }, env = { DOCKER_HOST = 'url' } },
  { name = 'agent', grants = 'keys', from = 'policies/authorities/agent.lua',
    owners = { 'ssh-agent' }, env = { SSH_AUTH_SOCK = 'path' } },
}

local TREE = {
  ['/srv'] = 'dir', ['/srv/odd.sock'] = 'socket', ['/srv/data.sock'] = 'socket',
  ['/srv/closed.sock'] = 'socket', ['/run/docker.sock'] = 'socket',
  ['/srv/engine'] = 'socket', ['/srv/alias'] = { link = '/srv/engine' },
}

local LISTENING = {
  { path = '/srv/odd.sock', inode = 1 }, { path = '/srv/data.sock', inode = 2 },
  { path = '/run/docker.sock', inode = 3 }, { path = '/srv/closed.sock', inode = 4 },
  { abstract = 'held\0\27[2J', inode = 5 }, { path = '/srv/away\n.sock', inode = 6 },
  { path = 'relative.sock', inode = 7 }, { inode = 8 },
}

local HOLDERS = { { pid = 26, uid = 1000, comm = 'ssh-agent',
  command = 'ssh-agent\0-a\0/srv/odd.sock\0' } }
local OWNERS = {
  [2] = { pid = 9, uid = 1001, comm = 'postgres', exe = '/usr/bin/postgres' },
  [3] = { pid = 412, uid = 0, comm = 'dockerd-current-version' },
}

local function resolve(given)
  local facts, door = host.facts { tree = TREE, sockets = LISTENING, holders = HOLDERS,
    env = given.env }
  local resolved = host.resolve { facts = facts, door = door, authorities = AUTHORITIES,
    layers = given.layers }
  local function look(where) return door.look({ looks = {} }, { where }).looks[where][1] end
  return resolved, look
end

local function rows(given)
  local resolved, look = resolve(given or {})
  return sockets.rows(resolved, LISTENING, {
    owner = function(inode) return OWNERS[inode] end,
    user = function(uid) return ({ [0] = 'root', [1000] = 'ada' })[uid] end,
    look = function(where)
      local found = look(where)
      if where == '/srv/closed.sock' then found.uid, found.mode = 0, 384 end
      return found
    end,
    is_writable = function(where) return where ~= '/srv/closed.sock' end,
  })
end

describe('explain of what is no plain file', function()
  local tree = { ['/srv'] = 'dir', ['/srv/pipe'] = 'fifo', ['/run'] = 'dir', ['/run/pipe'] = 'fifo',
    ['/srv/page'] = 'file' }
  local function said(thing, ...)
    local facts, door = host.facts { tree = tree }
    local resolved = assert(host.resolve { facts = facts, door = door,
      authorities = AUTHORITIES, layers = { (host.layer { ... }) } })
    local answer = explain.thing(resolved, 'file:' .. thing,
      function(where) return door.look({}, { where }).looks[where][1] end)
    return answer.verdict
  end

  it('says that a FIFO can be written to, but where sockets are refused in its folder', function()
    assert.are.equal('writable', said '/srv/pipe')
    assert.are.equal('writable', said('/srv/pipe', { 'file.protect', '/srv/pipe' }))
    assert.are.equal('hidden', said('/srv/pipe', { 'file.hide', '/srv/pipe' }))
    assert.are.equal('hidden', said('/run/pipe', { 'socket.default', 'refused' }))
    assert.are.equal('writable', said('/srv/pipe', { 'socket.default', 'refused' }))
  end)

  it('says that a file is not seen where sockets by its name are refused', function()
    assert.are.equal('readable', said '/srv/page')
    assert.are.equal('hidden', said('/srv/page', { 'socket.refuse', '/srv/page' }))
    assert.are.equal('readable', said('/srv/page', { 'socket.default', 'refused' }))
  end)
end)

describe('diff', function()
  --- The differences of two policies of a few statements each.
  local function between(a, b)
    local policies = {}
    for i, statements in ipairs { a, b } do
      local facts, door = host.facts { tree = TREE }
      policies[i] = select(4, host.resolve { facts = facts, door = door,
        authorities = AUTHORITIES, layers = { (host.layer(statements)) } })
    end
    local out = {}
    for i, item in ipairs(diff.policies(policies[1], policies[2], {})) do
      out[i] = item.change .. ' ' .. item.thing
    end
    return out
  end

  it('tells what exceptions, layers and additions to records change', function()
    assert.are.same({ 'removed file.hide ~/x (final)', 'added file.hide ~/x except ~/x/y (final)' },
      between({ { 'file.hide', '~/x' } }, { { 'file.hide', { '~/x', except = '~/x/y' } } }))
    assert.are.same({ 'removed file.private ~/p', 'added file.private ~/p keep' },
      between({ { 'file.private', '~/p' } }, { { 'file.private', { '~/p', keep = true } } }))
    assert.are.same({ 'added docker owners engined', 'added docker tcp 127.0.0.1:1' },
      between({}, { { 'authority.add', 'docker',
        { owners = { 'engined' }, tcp = { '127.0.0.1:1' } } } }))
    assert.are.same({}, between({ { 'file.hide', '~/x' } }, { { 'file.hide', '~/x' } }))
  end)
end)

describe('sockets', function()
  it('shows who holds what, what holds for it and by which line, in 80 columns', function()
    local shown = sockets.text(rows(), { all = true }, 80)
    assert.are.equal([[
VERDICT   WRITABLE AUTHORITY        SOCKET
          OWNER                       LINE
refused   yes      docker           /run/docker.sock
          dockerd-current 412 root    policies/authorities/docker.lua
gone      -        -                /srv/away\n.sock
          unknown                     default:6
closed    by root  -                /srv/closed.sock
          unknown                     default:6
off-list  yes      -                /srv/data.sock
          postgres 9 1001             default:6
refused   yes      agent            /srv/odd.sock
          ssh-agent 26 ada            owner: ssh-agent (pid 26)
refused   yes      -                @held\0\e[2J
          unknown                     default:1
unknown   unknown  -                relative.sock
          unknown                     default:6]], shown)
    for line in shown:gmatch '[^\n]+' do assert.is_true(#line <= 80, line) end
  end)

  it('leaves out what nobody here may open, and says so', function()
    local shown = sockets.text(rows(), {}, 80)
    assert.is_nil(shown:find('closed', 1, true))
    assert.is_nil(shown:find('away', 1, true))
    assert.are.equal('2 more that you may not open: --all shows them', shown:match('[^\n]*$'))
  end)

  it('gives a long name a line of its own, and keeps the end of a long policy line', function()
    local row = { name = '/run/user/1000/' .. ('x'):rep(90), verdict = 'refused', writable = true,
      authority = 'git_credential_cache',
      from = '/etc/confine-lua/site.d/' .. ('y'):rep(40) .. ':7' }
    assert.are.equal(table.concat({ 'refused   yes      git_credentia...',
      '  /run/user/1000/' .. ('x'):rep(60) .. '...',
      '          unknown                     ...' .. ('y'):rep(37) .. ':7' }, '\n'),
      sockets.text({ row }, {}, 80):match('LINE\n(.*)$'))
  end)

  it('can be filtered by name, owner, user, authority, verdict and line', function()
    local function count(filter)
      local n = 0
      for _, row in ipairs(rows()) do n = n + (sockets.matches(row, filter) and 1 or 0) end
      return n
    end
    assert.are.same({ 1, 1, 1, 1, 3, 1, 1, 0 }, { count 'data', count 'dockerd', count 'ada',
      count 'agent', count 'refused', count 'off-list', count 'owner:', count 'nothing' })
  end)

  it('calls a granted socket granted', function()
    local grant = host.layer { { 'authority.grant', 'agent' } }
    for _, row in ipairs(rows { layers = { grant } }) do
      if row.name == '/srv/odd.sock' then
        assert.are.same({ 'granted', 'site.lua:1', false }, { sockets.word(row), row.from,
          row.off_list })
      end
    end
  end)
end)

describe('sockets, where none is reachable that no list names,', function()
  local HOST = { ['/srv/data'] = 'dir', ['/srv/data/s'] = 'socket', ['/home/ada/work/s'] = 'socket',
    ['/srv/closed'] = 'dir', ['/proc/7'] = 'dir', ['/proc/7/cwd'] = { link = '/srv/data' } }

  --- The word and the reason for one socket.
  local function told(socket, owner, place, default)
    local facts, door = host.facts { tree = HOST, sockets = { socket } }
    local function look(where)
      if where:find '^/srv/closed/' then
        return { path = where, type = 'unknown', unknown = 'Permission denied' }
      end
      return door.look({ looks = {} }, { where }).looks[where][1]
    end
    if place then socket.dev, socket.ino = look(place).dev, look(place).ino end
    local resolved = host.resolve { facts = facts, door = door,
      layers = { (host.layer { { 'socket.default', default or 'refused' } }) } }
    local row = sockets.rows(resolved, { socket }, { owner = function() return owner end,
      user = function() end, look = look, is_writable = function() return true end })[1]
    return { sockets.word(row), row.reason, row.writable }
  end

  it('says of one bound by a relative name what explain says of where it lies', function()
    local reason = 'no list names it, no search found it, and its folder is not shadowed'
    assert.are.same({ 'off-list', reason, true },
      told({ path = 's', inode = 1 }, { pid = 7, uid = 1, comm = 'x' }, '/srv/data/s'))
    assert.are.same({ 'refused', "no list names it, and socket.default is 'refused'", true },
      told({ path = 's', inode = 1 }, nil, '/home/ada/work/s'))
  end)

  it('says of one that is found nowhere that it is unknown', function()
    assert.are.same({ 'unknown', 'bound by a relative name, and not found: it may be reachable',
      { unknown = 'bound by a relative name, in a folder that is not known' } },
      told({ path = 's', inode = 1, dev = 1, ino = 4 }))
  end)

  it('says of one in a folder that may not be searched that it is unknown, not gone', function()
    assert.are.same({ 'unknown', 'no list names it', { unknown = 'Permission denied' } },
      told({ path = '/srv/closed/s', inode = 1 }, nil, nil, 'reachable'))
  end)
end)

describe('explain', function()
  local ENV = { HOME = '/home/ada', DOCKER_HOST = 'unix:///srv/alias', SSH_AUTH_SOCK = '@held' }

  local function answer(thing)
    local resolved, look = resolve { env = ENV }
    return (explain.thing(resolved, thing, look))
  end

  it('says which variable led to a refused socket, by each of its names', function()
    for _, thing in ipairs { '/srv/engine', '/srv/alias', 'unix:///srv/engine' } do
      local got = answer(thing)
      assert.are.same({ thing, 'refused', 'DOCKER_HOST', 'environment: DOCKER_HOST' },
        { thing, got.verdict, got.variable, got.from })
    end
    assert.are.equal([[
/srv/engine: refused
  reason   it hands out the authority docker
  grants   root on this host
  line     environment: DOCKER_HOST
  led by   the variable DOCKER_HOST
  change   authority.grant 'docker' in /home/ada/.config/confine-lua/user.lua, or --grant docker]],
      explain.text(answer '/srv/engine'))
  end)

  it('says it of an abstract name, and not of what no variable names', function()
    assert.are.equal('SSH_AUTH_SOCK', answer('@held').variable)
    assert.is_nil(answer('/run/docker.sock').variable)
    assert.is_nil(answer('/srv/data.sock').variable)
  end)

  it('says of an absent name the same by a star of sockets as by an exact line', function()
    local resolved, look = resolve { layers = { (host.layer {
      { 'socket.refuse', { '/srv/late-*.sock', '/srv/exact' } } }) } }
    for thing, wanted in pairs { ['/srv/late-1.sock'] = 'refused', ['/srv/exact'] = 'refused',
      ['unix:///srv/late-1.sock'] = 'refused', ['/srv/later'] = 'readable',
      ['file:/srv/late-1.sock'] = 'readable' } do
      assert.are.same({ thing, wanted }, { thing, explain.thing(resolved, thing, look).verdict })
    end
  end)

  it('says where a star refuses nothing that appears later', function()
    local resolved, look = resolve { layers = { (host.layer { { 'file.hide', 'parts/*/key' } }) } }
    local root = resolved.facts.root
    local late = explain.thing(resolved, root .. '/parts/new/key', look)
    assert.are.equal('hidden', late.verdict)
    assert.is_truthy(late.reason:find('not in a folder that appears later', 1, true))
  end)

  it('says of what stands at the name of a refused socket that it is hidden, whatever it is',
    function()
      local tree = { ['/run/docker.sock'] = 'file', ['/srv'] = 'dir', ['/srv/d'] = 'dir',
        ['/srv/d/in'] = 'file', ['/srv/p'] = 'fifo', ['/srv/s'] = 'socket' }
      local facts, door = host.facts { tree = tree }
      local resolved = host.resolve { facts = facts, door = door, authorities = AUTHORITIES,
        layers = { (host.layer { { 'socket.refuse', { '/srv/d', '/srv/s' } },
          { 'socket.refuse', '/srv/p*' }, { 'file.hide', '/srv/d/below' },
          { 'file.write', { '/srv/d', '/srv/p' } } }) } }
      local function look(where) return door.look({ looks = {} }, { where }).looks[where][1] end
      for thing, wanted in pairs {
        ['/run/docker.sock'] = { AUTHORITIES[1].from, 'refused as a socket, whatever it is' },
        ['/srv/d'] = { 'site.lua:1', 'refused as a socket, whatever it is' },
        ['/srv/d/in'] = { 'site.lua:1', 'below /srv/d, which is refused as a socket' },
        ['/srv/d/new/x'] = { 'site.lua:1', 'below /srv/d, which is refused as a socket' },
        ['/srv/p'] = { 'site.lua:2', 'refused as a socket, whatever it is' },
        ['file:/srv/s'] = { 'site.lua:1', 'refused as a socket, whatever it is' },
      } do
        local got = explain.thing(resolved, thing, look)
        assert.are.same({ thing, 'hidden', wanted },
          { thing, got.verdict, { got.from, got.reason } })
      end
      assert.are.equal(("authority.grant 'docker' in %s, or --grant docker"):format(OWN),
        explain.thing(resolved, 'file:/run/docker.sock', look).remedy)
    end)

  it('says of a FIFO that it can be written to in a place that is read-only', function()
    local tree = { ['/srv'] = 'dir', ['/srv/p'] = 'fifo', ['/srv/q'] = 'fifo', ['/srv/h'] = 'fifo',
      ['/home/ada/work/p'] = 'fifo' }
    local facts, door = host.facts { tree = tree }
    local resolved = host.resolve { facts = facts, door = door,
      layers = { (host.layer { { 'file.protect', 'p' }, { 'file.hide', '/srv/h' } }) } }
    local function told(thing)
      return explain.thing(resolved, thing,
        function(where) return door.look({ looks = {} }, { where }).looks[where][1] end)
    end
    for thing, line in pairs { ['/srv/p'] = false, ['/home/ada/work/p'] = 'site.lua:1' } do
      local got = told(thing)
      assert.are.same({ thing, 'writable', 'a FIFO: whom its mode lets may write to it, although '
        .. 'its place is read-only' }, { thing, got.verdict, got.reason })
      assert.are.equal(line, got.from or false)
      if not line then
        assert.are.equal("file.hide '/srv/p' in " .. OWN, got.remedy)
      end
    end
    assert.are.equal('hidden', told('/srv/h').verdict)
  end)

  it('takes nothing for a file that names none', function()
    local resolved, look = resolve {}
    for _, thing in ipairs { '', '@', 'env:', 'file:', 'authority:', 'unix:', 'unix://', 'unix:s',
      'unix://srv/s', 'tcp://127.0.0.1:1', 'http://x', 'git+ssh://x/y', 'env:A=B', 'env:A*' } do
      assert.are.same({ n = 2, nil, ("'%s' names nothing that can be explained\n    a THING is "
        .. '/path, file:/path, @abstract, unix:///path, env:NAME or authority:NAME')
        :format(thing) },
        table.pack(explain.thing(resolved, thing, look)))
    end
    for thing, wanted in pairs { ['unix:/srv/data.sock'] = 'socket', ['http:x'] = 'absent',
      ['file:tcp://x'] = 'absent', ['unix:/srv'] = 'socket' } do
      assert.are.same({ thing, wanted }, { thing, explain.thing(resolved, thing, look).kind })
    end
    assert.is_nil(explain.thing(resolved, 'env:BASH_FUNC_x%%', look).remedy)
  end)

  it('says of /proc what a run has there', function()
    local tree = { ['/proc/7'] = 'dir', ['/proc/7/cmdline'] = 'file', ['/proc/8'] = 'dir',
      ['/proc/8/stat'] = 'file', ['/proc/version'] = 'file', ['/proc/sys/x'] = 'file' }
    local FRESH = 'each run has a /proc of its own, with its own processes'
    local function told(facts, of)
      local made, door = host.facts { tree = tree, procfs = facts }
      local resolved = host.resolve { facts = made, door = door }
      local got = explain.thing(resolved, of.path or of, function(where)
        return type(of) == 'table' and of or door.look({ looks = {} }, { where }).looks[where][1]
      end)
      return { got.thing, got.verdict, got.reason, got.unknown, got.remedy }
    end
    local fresh, masked = { mountable = true }, { mountable = false, reason = 'masked' }
    assert.are.same({ '/proc/7/cmdline', 'hidden', FRESH }, told(fresh, '/proc/7/cmdline'))
    assert.are.same({ '/proc/99', 'hidden', FRESH }, told(fresh, '/proc/99'))
    assert.are.same({ '/proc/7', 'hidden', "the host's processes are covered" },
      told(masked, '/proc/7'))
    assert.are.same({ '/proc/self/stat', 'private',
      'of the process that looks, which is one of the run' }, told(fresh,
      { path = '/proc/8/stat', type = 'file', links = { '/proc/self' } }))
    assert.are.same({ '/proc/thread-self/comm', 'private',
      'of the process that looks, which is one of the run' }, told(fresh,
      { path = '/proc/8/task/9/comm', type = 'file', links = { '/proc/thread-self' } }))
    assert.are.same({ '/proc/self/fd/0', 'private',
      'of the process that looks, which is one of the run' }, told(fresh,
      { path = '/proc/8/fd/0', type = 'unknown', unknown = 'x',
        links = { '/dev/stdin', '/proc/self' } }))
    assert.are.same({ '/proc/self/fd/0', 'private',
      'of the process that looks, which is one of the run' }, told(fresh,
      { path = '/srv/log', type = 'file', links = { '/dev/stdin', '/proc/self', '/proc/8/fd/0' } }))
    assert.are.same({ '/etc', 'readable', 'the root is readable and not writable' },
      { table.unpack(told(fresh, { path = '/etc', type = 'dir',
        links = { '/proc/self', '/proc/8/root' } }), 1, 3) })
    assert.are.same({ '/etc', 'hidden', FRESH },
      told(fresh, { path = '/etc', type = 'dir', links = { '/proc/7/root' } }))
    assert.are.same({ '/proc/sys/x', 'readable', "the kernel's settings can be read and not "
      .. 'written' }, told(fresh, '/proc/sys/x'))
    assert.are.same({ '/proc/version', 'readable', "the kernel's, in a /proc of the run's own" },
      told(fresh, '/proc/version'))
  end)

  it('says of a grant of what is not there that nothing can be written', function()
    local resolved, look = resolve { layers = { (host.layer {
      { 'file.write', { '/nosuch/abc', 'build', '/srv' } } }) } }
    for thing, wanted in pairs { ['/nosuch/abc'] = 'readable', ['/nosuch/abc/x'] = 'readable',
      ['/home/ada/work/build'] = 'writable', ['/srv/x'] = 'writable' } do
      assert.are.same({ thing, wanted }, { thing, explain.thing(resolved, thing, look).verdict })
    end
  end)

  it("says of an authority that net 'host' leaves it reachable by TCP", function()
    local env = { HOME = '/home/ada', DOCKER_HOST = 'tcp://127.0.0.1:2375' }
    local function told(...)
      local resolved, look = resolve { env = env, layers = { (host.layer { ... }) } }
      local got = explain.thing(resolved, 'authority:docker', look)
      return { got.verdict, got.reason, got.from, got.remedy }
    end
    local open = { 'reachable', "its sockets are refused, but net 'host' leaves reachable: "
      .. 'tcp://127.0.0.1:2375 (environment: DOCKER_HOST)', 'site.lua:1',
      "net 'none' in " .. OWN }
    assert.are.same(open, told { 'net', 'host' })
    assert.are.same(open, told({ 'net', 'host' }, { 'authority.refuse', 'docker' }))
    assert.are.same({ 'refused', 'granted' }, { told({ 'net', 'none' })[1],
      told({ 'net', 'host' }, { 'authority.grant', 'docker' })[1] })
  end)

  it('says of what a link leads to that it is hidden where the link is', function()
    local found = { path = '/srv/vis/f', type = 'file', dev = 1, ino = 1 }
    local layers = { (host.layer { { 'file.hide', '/srv/hid' } }) }
    local function told(thing, link)
      found.links = { link }
      local got = explain.thing((resolve { layers = layers }), thing, function() return found end)
      return { got.thing, got.verdict, got.reason, got.alias }
    end
    assert.are.same({ '/srv/hid/l', 'hidden', 'below /srv/hid, which is hidden' },
      told('/srv/hid/l', '/srv/hid/l'))
    assert.are.same({ '/srv/a/f', 'hidden', 'below /srv/hid, which is hidden' },
      told('/srv/a/f', '/srv/hid/d'))
    assert.are.same({ '/tmp/l', 'private', "below /tmp, which is private and empty; nothing of the "
      .. "host's shows" }, told('/tmp/l', '/tmp/l'))
    assert.are.same({ '/srv/vis/f', 'readable', 'the root is readable and not writable',
      '/srv/seen' }, told('/srv/seen', '/srv/seen'))
  end)

  it('takes a name that holds a dollar sign as it is', function()
    assert.are.equal('/srv/$NOSUCH', answer('/srv/$NOSUCH').thing)
  end)

  it('asks what is meant by a word that is no name where one stands', function()
    local resolved, look = resolve { env = ENV }
    for word, near in pairs { docker = 'authority:docker', DOCKER_HOST = 'env:DOCKER_HOST' } do
      local got, message = explain.thing(resolved, word, look)
      assert.is_nil(got)
      assert.are.equal(("'%s' is no path here\n    did you mean '%s'?"):format(word, near), message)
    end
    assert.are.equal('/home/ada/work/new', answer('new').thing)
  end)

  it('says of what lies below a placeholder that it is protected', function()
    local facts, door = host.facts {}
    local resolved = host.resolve { facts = facts, door = door,
      layers = { (host.layer { { 'file.protect', '.git/config' } }) } }
    local function look(where) return door.look({ looks = {} }, { where }).looks[where][1] end
    for thing, wanted in pairs { ['.git'] = 'protected', ['.git/new'] = 'protected',
      ['.gitx'] = 'writable' } do
      local got = explain.thing(resolved, '/home/ada/work/' .. thing, look)
      assert.are.same({ thing, wanted }, { thing, got.verdict })
    end
  end)

  it('tells of every line when it is asked for everything', function()
    local tree = { ['/srv'] = 'dir', ['/srv/s'] = 'socket', ['/srv/g'] = 'socket',
      ['/srv/l1'] = 'socket', ['/dev'] = 'dir', ['/dev/kvm'] = 'char' }
    local facts, door = host.facts { tree = tree }
    local resolved = host.resolve { facts = facts, door = door, authorities = AUTHORITIES,
      layers = { (host.layer {
        { 'socket.refuse', { '/srv/s', '/srv/late', '/srv/l*', '@x', '@y*' } },
        { 'socket.grant', '/srv/g' }, { 'env.refuse', { 'HOME', 'AWS_*' } },
        { 'device.grant', '/dev/kvm' }, { 'limit', { wall = '60s', pids = 9 } },
        { 'file.hide', '/srv' } }) } }
    local out = {}
    for i, item in ipairs(explain.everything(resolved)) do
      out[i] = ('%s %s %s'):format(item.thing, item.verdict, item.value or item.from)
    end
    assert.are.same({ 'authority:agent refused policies/authorities/agent.lua',
      'authority:docker refused policies/authorities/docker.lua',
      '/dev/kvm writable site.lua:4', '/home/ada/work writable default:8',
      '/srv hidden site.lua:6', '/tmp private default:9',
      '/srv/g refused site.lua:6', '/srv/l1 refused site.lua:1', '/srv/late refused site.lua:1',
      '/srv/s refused site.lua:1', '/srv/l* refused site.lua:1', '@x refused site.lua:1',
      '@y* refused site.lua:1', 'env:HOME unset site.lua:3', 'env:PATH passed /bin',
      'env:PWD set /home/ada/work',
      'env:AWS_* unset site.lua:3', 'limit pids limited 9', 'limit wall limited 60 s' }, out)
  end)

  it('names the daemon that owns a refused socket', function()
    local got = answer '/srv/odd.sock'
    assert.are.same({ 'refused', 'owner: ssh-agent (pid 26)', 'keys' },
      { got.verdict, got.from, got.why })
  end)
end)
