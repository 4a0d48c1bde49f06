--- The real host reads what is there and is held up by nothing.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')
package.path = tree.ROOT .. 'build/luaposix/share/?.lua;' .. package.path
package.cpath = tree.ROOT .. 'build/luaposix/lib/?.so;' .. package.cpath
local host = require 'scripts.host'
local stat = require 'posix.sys.stat'
local unistd = require 'posix.unistd'

describe('the real host', function()
  local dir

  setup(function()
    dir = assert(require('posix.stdlib').mkdtemp('/tmp/confine-host-XXXXXX'))
    for name, text in pairs { small = 'text', exact = ('x'):rep(100), [' odd\n'] = '' } do
      local handle = assert(io.open(dir .. '/' .. name, 'wb'))
      handle:write(text)
      handle:close()
    end
    local handle = assert(io.open(dir .. '/huge', 'wb'))
    handle:seek('set', 100 * 1024 * 1024)
    handle:write('x')
    handle:close()
    stat.mkfifo(dir .. '/fifo', 384)
    unistd.link(dir .. '/small', dir .. '/link', true)
    unistd.link('loop', dir .. '/loop', true)
  end)

  teardown(function()
    os.execute("rm -rf '" .. dir .. "'")
  end)

  it('reads regular files, also behind links', function()
    assert.are.equal('text', host.read(dir .. '/small', 100))
    assert.are.equal('text', host.read(dir .. '/link', 100))
    assert.are.equal(100, #host.read(dir .. '/exact', 100))
  end)

  it('refuses 100 MB by size, a FIFO, a folder and a loop', function()
    assert.are.same({ nil, 'larger than 1000 bytes' }, { host.read(dir .. '/huge', 1000) })
    assert.are.same({ nil, 'larger than 99 bytes' }, { host.read(dir .. '/exact', 99) })
    assert.are.same({ nil, 'not a regular file' }, { host.read(dir .. '/fifo', 1000) })
    assert.are.same({ nil, 'not a regular file' }, { host.read(dir, 1000) })
    assert.are.same({ nil, 'Too many levels of symbolic links' }, { host.read(dir .. '/loop', 9) })
  end)

  it('says nothing of what is not there', function()
    assert.are.same({ n = 1 }, table.pack(host.read(dir .. '/none', 9)))
    assert.are.same({ n = 1 }, table.pack(host.read(dir .. '/small/below', 9)))
    assert.are.same({ n = 1 }, table.pack(host.list(dir .. '/none')))
    assert.is_nil(host.type(dir .. '/none'))
  end)

  it('lists names and knows types', function()
    assert.are.same({ ' odd\n', 'exact', 'fifo', 'huge', 'link', 'loop', 'small' }, host.list(dir))
    assert.are.same({ 'dir', 'file', 'file', 'other' }, { host.type(dir),
      host.type(dir .. '/small'), host.type(dir .. '/link'), host.type(dir .. '/fifo') })
  end)

  it('runs a program without a shell', function()
    assert.are.equal('a  $b\n', host.run { 'echo', 'a  $b' })
    assert.are.equal('', host.run { 'cat' })
  end)

  it('says how a program failed, and gives up on one that prints or takes too much', function()
    assert.are.same({ nil, 'false: exited 1' }, { host.run { 'false' } })
    assert.are.same({ nil, 'no-such-program: exited 127' }, { host.run { 'no-such-program' } })
    assert.are.same({ nil, 'printed more than 1048576 bytes' }, { host.run { 'yes' } })
    local start = os.time()
    assert.are.same({ nil, 'took longer than 1 s' }, { host.run({ 'sleep', '60' }, 1) })
    assert.is_true(os.time() - start < 10)
  end)

  it('sees the caller\'s other processes with their environments', function()
    local marker = 'CONFINE_HOST_SPEC=' .. unistd.getpid()
    -- The shell that speaks is what is looked for, and executes nothing more: a process in the
    -- middle of execve(2) has its old name, or the new one and no environment yet.
    local pipe = assert(io.popen(("exec env %s sh -c 'echo $$; read line' <> '%s/fifo'")
      :format(marker, dir)))
    local pid = pipe:read('n')
    local exe = unistd.readlink(('/proc/%d/exe'):format(pid))
    local seen, text
    local sees_itself = false
    for process in host.processes(unistd.geteuid()) do
      if process.pid == pid then seen, text = process, process.env() end
      sees_itself = sees_itself or process.pid == unistd.getpid()
    end
    os.execute(('kill %d'):format(pid))
    pipe:close()
    assert.is_not_nil(seen)
    assert.are.same({ comm = 'sh', exe = exe }, { comm = seen.comm, exe = seen.exe,
      other_view = seen.other_view })
    assert.is_truthy(('\0' .. text):find('\0' .. marker .. '\0', 1, true))
    assert.is_false(sees_itself)
  end)

  it('says that sockets need confine.core', function()
    assert.are.same({ nil, 'confine.core is not here, so no socket could be looked at' },
      { host.sockets(nil) })
  end)

  it('knows its user', function()
    local made = host.new(nil)
    assert.are.equal(unistd.geteuid(), made.uid)
    assert.is_string(made.homes[1])
    assert.are.equal(('/run/user/%d'):format(made.uid), made.runtime_dirs[#made.runtime_dirs])
  end)
end)
