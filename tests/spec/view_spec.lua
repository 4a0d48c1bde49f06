-- The view: which names are refused through which folder, and what is put back.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local argv = require 'confine.pipeline.argv'
local host = require 'host'
local plan = require 'confine.pipeline.plan'
local staging = require 'confine.pipeline.staging'

local DOCKER = { name = 'docker', grants = 'root on this host',
  from = 'policies/authorities/docker.lua', env = { DOCKER_HOST = 'url' },
  sockets = { '/run/docker.sock', '/var/run/docker.sock', '$XDG_RUNTIME_DIR/docker.sock' } }
local SSH = { name = 'ssh', from = 'policies/secrets/ssh.lua', files = { '~/.ssh' }, why = 'keys' }
local GIT = { name = 'git', from = 'policies/protected/git.lua', files = { '.git/hooks' } }

local function planned(given)
  given.facts, given.door = host.facts(given.host or {})
  local resolved, problems, facts, policy = host.resolve(given)
  assert.are.same({}, problems)
  local made, wrong = plan.build(policy, facts, { 'true' }, resolved)
  assert.are.same({}, wrong)
  return made, facts
end

local function op_at(made, where, kind)
  for _, op in ipairs(made.ops) do
    if op.path == where and (not kind or op.op == kind) then return op end
  end
end

local function entry_of(op, name)
  for _, entry in ipairs(op and op.entries or {}) do
    if entry.name == name then return entry end
  end
end

describe('the view', function()
  it('shadows /run for a listed socket, refuses it and keeps its siblings', function()
    local made = planned { authorities = { DOCKER }, host = { tree = {
      ['/run/docker.sock'] = 'socket', ['/run/postgresql'] = 'dir',
      ['/run/other.sock'] = 'socket' } } }
    local run = op_at(made, '/run', 'shadow')
    assert.are.equal('tmpfs', run.by)
    assert.are.equal('inert', entry_of(run, 'docker.sock').as)
    assert.are.equal('policies/authorities/docker.lua', entry_of(run, 'docker.sock').from)
    assert.are.equal('keep', entry_of(run, 'postgresql').as)
    assert.are.equal('keep', entry_of(run, 'other.sock').as)
  end)

  it('refuses a listed name in advance when it is absent', function()
    local made = planned { authorities = { DOCKER } }
    local entry = entry_of(op_at(made, '/run', 'shadow'), 'docker.sock')
    assert.are.same({ 'absent', 'absent' }, { entry.as, entry.type })
    assert.are.equal('absent', entry_of(op_at(made, '/run/user/1000', 'shadow'), 'docker.sock').as)
  end)

  it('masks a name in a writable place after that place is bound', function()
    local made = planned { layers = { (host.layer { { 'file.hide', 'secret' } }) },
      host = { tree = { ['/home/ada/work/secret'] = 'file' } } }
    local at = {}
    for i, op in ipairs(made.ops) do
      if op.path == '/home/ada/work' then at[op.op] = i end
    end
    assert.is_true(at.shadow > at.bind)
    assert.are.equal('mask', made.ops[at.shadow].by)
  end)

  it('shadows from below / what lines refuse outside of the stable folders', function()
    local tree = { ['/opt'] = 'dir', ['/opt/house'] = 'dir', ['/opt/house/token'] = 'file',
      ['/opt/house/page'] = 'file', ['/opt/other'] = 'dir', ['/srv'] = 'dir',
      ['/srv/far'] = 'dir', ['/srv/far/odd.sock'] = 'socket', ['/etc'] = 'dir',
      ['/etc/key'] = 'file' }
    local built_in = { name = 'keys', from = 'policies/secrets/keys.lua', why = 'keys',
      files = { '/etc/key' } }
    local made = planned { authorities = { DOCKER }, secrets = { built_in },
      layers = { (host.layer { { 'file.hide', '/opt/house/token' } }) },
      host = { tree = tree, env = { DOCKER_HOST = 'unix:///srv/far/odd.sock',
        HOME = '/home/ada' } } }
    local function said(folder, name)
      local op = op_at(made, folder, 'shadow')
      local entry = entry_of(op, name)
      return { op.by, entry and entry.as }
    end
    assert.are.same({ 'tmpfs', 'dir' }, said('/opt', 'house'))
    assert.are.same({ 'tmpfs', 'keep' }, said('/opt', 'other'))
    assert.are.same({ 'tmpfs', 'absent' }, said('/opt/house', 'token'))
    assert.are.same({ 'tmpfs', 'dir' }, said('/srv', 'far'))
    assert.are.same({ 'tmpfs', 'inert' }, said('/srv/far', 'odd.sock'))
    -- What only a built-in line hides there is masked: few need it, and it would cost every run.
    assert.are.same({ 'mask', 'absent' }, said('/etc', 'key'))
  end)

  it('does not mask a hidden folder that shows something: it has a shadow of its own', function()
    local hide = host.layer { { 'file.hide', { '/srv/data', except = { '/srv/data/open' } } } }
    local made = planned { layers = { hide }, host = { tree = { ['/srv'] = 'dir',
      ['/srv/data'] = 'dir', ['/srv/data/open'] = 'dir' } } }
    assert.are.equal('tmpfs', op_at(made, '/srv', 'shadow').by)
    assert.are.equal('dir', entry_of(op_at(made, '/srv', 'shadow'), 'data').as)
    assert.are.equal('0111', op_at(made, '/srv/data', 'shadow').mode)
  end)

  it('refuses what a star will match, also when some socket is granted', function()
    local twin = { name = 'twin', grants = 'x', from = 'twin.lua', env = {},
      sockets = { '/run/twin-*', '/run/other-*' } }
    local function stars(...)
      local made = planned { authorities = { twin }, layers = { (host.layer { ... }) },
        host = { tree = { ['/run/twin-1'] = 'socket' } } }
      local out, shadow = {}, op_at(made, '/run', 'shadow')
      for _, entry in ipairs(shadow and shadow.entries or {}) do
        if entry.glob then out[#out + 1] = entry.name end
      end
      return out
    end
    assert.are.same({ 'other-*', 'twin-*' }, stars { 'socket.grant', '/srv/x' })
    assert.are.same({ 'other-*' }, stars { 'socket.grant', '/run/twin-1' })
    assert.are.same({}, stars { 'authority.grant', 'twin' })
  end)

  it('refuses what is left of a glob in each folder that its beginning matches', function()
    local function late(...)
      local made = planned { layers = { (host.layer { ... }) }, host = { tree = {
        ['/srv'] = 'dir', ['/srv/a'] = 'dir', ['/srv/a/page'] = 'file', ['/srv/file'] = 'file',
        ['/srv/link'] = { link = '/opt/there' }, ['/opt'] = 'dir', ['/opt/there'] = 'dir',
        ['/home/ada/v'] = 'dir', ['/home/ada/v/a'] = 'dir', ['/home/ada/v/a/page'] = 'file',
        ['/home/ada/v/a/x-1'] = 'dir', ['/home/ada/work/parts'] = 'dir' } } }
      local out = {}
      for _, op in ipairs(made.ops) do
        for _, entry in ipairs(op.op == 'shadow' and op.entries or {}) do
          out[#out + 1] = ('%s %s/%s'):format(entry.as, op.path, entry.name)
        end
      end
      return out
    end
    local home = { 'keep /home/ada/v/a/page', 'absent /home/ada/v/a/key', 'keep /home/ada/v/a/x-1' }
    assert.are.same({ 'dir /home/ada/v', 'dir /home/ada/work', 'dir /home/ada/v/a',
      'absent /home/ada/v/*', 'absent /home/ada/v/a/key', home[1], home[3] },
      late { 'file.hide', '~/v/*/key' })
    -- What is there stays; the link leads to a folder of its own.
    assert.are.same({ 'dir /opt/there', 'absent /opt/there/key', 'dir /srv/a', 'keep /srv/file',
      'link /srv/link', 'absent /srv/*', 'absent /srv/a/key', 'keep /srv/a/page' },
      late { 'socket.refuse', '/srv/*/key' })
    assert.are.same({ 'dir /home/ada/v', 'dir /home/ada/work', 'dir /home/ada/v/a',
      'absent /home/ada/v/*', home[1], 'dir /home/ada/v/a/x-1', 'absent /home/ada/v/a/x-*',
      'absent /home/ada/v/a/x-1/y' }, late { 'file.hide', '~/v/*/x-*/y/z' })
    -- What the command makes in a writable place is its own.
    assert.are.same({}, late { 'file.hide', 'parts/*/key' })
  end)

  it('refuses an absent folder as a whole under each of its spellings', function()
    local secrets = { { name = 'c', from = 'c.lua', why = 'keys',
      files = { '~/.config/gh', '~/.config/x-*', '~/.config/*/key' } } }
    local function config(tree, ...)
      local made = planned { secrets = secrets, layers = { (host.layer { ... }) },
        host = { home = '/home/link', homes = { '/home/link' }, tree = tree } }
      local out = {}
      for _, op in ipairs(made.ops) do
        for _, entry in ipairs(op.op == 'shadow' and op.entries or {}) do
          local where = op.path .. '/' .. entry.name
          if where:find 'conf' then out[#out + 1] = entry.as .. ' ' .. where end
        end
        if op.path:find 'conf' then out[#out + 1] = op.others or op.op end
      end
      return out
    end
    assert.are.same({ 'absent /home/ada/.config' }, config { ['/home/link'] = { link = 'ada' } })
    assert.are.same({ 'absent /home/ada/conf' }, config { ['/home/link'] = 'dir',
      ['/home/link/.config'] = { link = '/home/ada/conf' } })
    -- A private place in it makes the folder, and nothing else shows there.
    assert.are.same({ 'dir /home/ada/.config', 'dir /home/ada/.config/tool', 'none', 'private' },
      config({ ['/home/link'] = { link = 'ada' } }, { 'file.private', '~/.config/tool' }))
  end)

  it('refuses what a variable names in advance, whatever characters its value holds', function()
    for _, odd in ipairs { '/srv/x[1]', '/srv/x*', '/srv/x?y', '/srv/[' } do
      local made = planned { layers = { (host.layer { { 'file.hide', '$ODD/sec' },
        { 'file.hide', '$ODD/*/key' }, { 'socket.refuse', '$ODD/s-*' } }) },
        secrets = { { name = 'c', from = 'c.lua', files = { '$XDG_CONFIG_HOME/gh' } } },
        host = { env = { ODD = odd, XDG_CONFIG_HOME = odd .. '/none' },
          tree = { ['/srv'] = 'dir', [odd] = 'dir', [odd .. '/a'] = 'dir' } } }
      local out = {}
      for _, op in ipairs(made.ops) do
        for _, entry in ipairs(op.path:find(odd, 1, true) and op.entries or {}) do
          out[#out + 1] = ('%s %s/%s'):format(entry.as, op.path:sub(#odd + 1), entry.name)
        end
      end
      assert.are.same({ odd, { 'dir /a', 'absent /none', 'absent /sec', 'absent /*', 'inert /s-*',
        'absent /a/key' } }, { odd, out })
    end
  end)

  it('leaves what an exception or a grant shows out of what a glob refuses later', function()
    local twin = { name = 'twin', grants = 'x', from = 'twin.lua', env = {},
      sockets = { '/run/twins/*/sock' } }
    local function late(...)
      local layer = host.layer { name = 'site.lua', ... }
      local made = planned { authorities = { twin }, layers = { layer },
        host = { tree = { ['/run/twins'] = 'dir', ['/run/twins/a'] = 'dir',
          ['/run/twins/b'] = 'dir' } } }
      local out = {}
      for _, name in ipairs { 'a', 'b' } do
        local entry = entry_of(op_at(made, '/run/twins/' .. name, 'shadow'), 'sock')
        out[name] = entry and entry.as
      end
      local star = entry_of(op_at(made, '/run/twins', 'shadow'), '*')
      out.star = star and star.as
      return out
    end
    assert.are.same({ a = 'absent', b = 'absent', star = 'absent' },
      late { 'socket.grant', '/srv/x' })
    assert.are.same({ b = 'absent', star = 'absent' },
      late { 'socket.grant', '/run/twins/a/sock' })
    assert.are.same({}, late { 'authority.grant', 'twin' })
    assert.are.same({ b = 'absent', star = 'absent' }, late({ 'authority.grant', 'twin' },
      { 'file.hide', { '/run/twins/*/sock', except = '/run/twins/a/sock' } }))
  end)

  it('covers what is refused in the root itself, with its carve-outs', function()
    local hide = host.layer { { 'file.hide', { '/srv', except = '/srv/open' } },
      { 'file.hide', '/opt' }, { 'socket.refuse', '/odd.sock' } }
    local made = planned { layers = { hide }, host = { tree = { ['/srv'] = 'dir',
      ['/srv/open'] = 'dir', ['/opt'] = 'dir', ['/odd.sock'] = 'socket' } } }
    local function shadow(where)
      local op = op_at(made, where, 'shadow')
      return { op.by, op.others, op.mode, op.entries }
    end
    assert.are.same({ 'tmpfs', 'none', '0111', {} }, shadow '/srv')
    assert.are.equal('ro', op_at(made, '/srv/open', 'bind').access)
    assert.are.same({ 'tmpfs', 'none', '0000', {} }, shadow '/opt')
    assert.are.equal('site.lua:3', op_at(made, '/odd.sock', 'hide').from)
  end)

  it('refuses the socket that DOCKER_HOST names though no list knows it', function()
    local made = planned { authorities = { DOCKER }, host = {
      tree = { ['/srv'] = 'dir', ['/srv/odd.sock'] = 'socket' },
      env = { DOCKER_HOST = 'unix:///srv/odd.sock', HOME = '/home/ada' } } }
    local hide = entry_of(op_at(made, '/srv', 'shadow'), 'odd.sock')
    assert.are.same({ 'socket', 'environment: DOCKER_HOST' }, { hide.type, hide.from })
  end)

  it('refuses what a `..` behind a link leads to: by a variable, by a line, by both', function()
    local tree = { ['/srv'] = 'dir', ['/srv/far'] = 'dir', ['/srv/far/dir'] = 'dir',
      ['/srv/lnk'] = { link = 'far/dir' }, ['/srv/far/odd.sock'] = 'socket',
      ['/srv/far/gnupg'] = 'dir', ['/srv/far/gnupg/key'] = 'file', ['/srv/far/plain'] = 'dir',
      ['/srv/odd.sock'] = 'socket' }
    local gnupg = { name = 'gnupg', from = 'gnupg.lua', files = { '$GNUPGHOME/key' }, why = 'keys' }
    local made = planned { authorities = { DOCKER }, secrets = { gnupg }, layers = {
      (host.layer { { 'file.hide', '/srv/lnk/../plain' }, { 'file.hide', '/srv/*/../later' },
        { 'socket.grant', '/srv/lnk/../../odd.sock' } }) },
      host = { tree = tree, env = { DOCKER_HOST = 'unix:///srv/lnk/../odd.sock',
        GNUPGHOME = '/srv/lnk/../gnupg', HOME = '/home/ada' } } }
    local far = op_at(made, '/srv/far', 'shadow')
    assert.are.same({ 'inert', 'absent' },
      { entry_of(far, 'odd.sock').as, entry_of(far, 'plain').as })
    assert.are.equal('absent', entry_of(op_at(made, '/srv/far/gnupg', 'shadow'), 'key').as)
    local srv = op_at(made, '/srv', 'shadow')
    assert.are.equal('absent', entry_of(srv, 'later').as)
    assert.are.equal('keep', entry_of(srv, 'odd.sock').as)
    assert.are.equal('/srv/odd.sock', op_at(made, '/srv/odd.sock', 'bind').path)
  end)

  it('puts a granted socket back and names it inside by its variable', function()
    local made = planned { authorities = { DOCKER },
      layers = { (host.layer { { 'authority.grant', 'docker' } }) },
      host = { tree = { ['/run/docker.sock'] = 'socket' } } }
    local run = op_at(made, '/run', 'shadow')
      or { entries = { { name = 'docker.sock', as = 'keep' } } }
    assert.are.equal('keep', entry_of(run, 'docker.sock').as)
    assert.are.equal('bind', op_at(made, '/run/docker.sock').op)
    local value
    for _, item in ipairs(made.env) do if item.name == 'DOCKER_HOST' then value = item.value end end
    assert.are.equal('unix:///run/docker.sock', value)
  end)

  it('refuses a socket by its inode under another name', function()
    local made = planned { authorities = { DOCKER }, host = {
      tree = { ['/run/docker.sock'] = 'socket', ['/srv'] = 'dir', ['/srv/alias'] = 'socket',
        ['inode /srv/alias'] = 7, ['inode /run/docker.sock'] = 7 },
      sockets = { { path = '/srv/alias', dev = 1, ino = 7, type = 'stream', state = 'listening',
        inode = 99 } } } }
    assert.are.equal('inert', entry_of(op_at(made, '/srv', 'shadow'), 'alias').as)
  end)

  it('refuses a live socket at its canonical path, whatever text it was bound to', function()
    local odd = { name = 'odd', grants = 'x', from = 'odd.lua', env = {}, sockets = { '/opt/o' } }
    local tree = { ['/srv'] = 'dir', ['/srv/real'] = 'dir', ['/srv/link'] = { link = 'real' },
      ['/srv/real/alias'] = 'socket', ['/opt'] = 'dir', ['/opt/o'] = 'socket',
      ['inode /srv/real/alias'] = 7, ['inode /opt/o'] = 7 }
    local sockets = { { path = '/srv/link/alias', dev = 1, ino = 7, inode = 9 },
      { path = '/srv/gone/alias', dev = 1, ino = 7, inode = 10 } }
    local made = planned { authorities = { odd }, host = { tree = tree, sockets = sockets } }
    assert.are.equal('inert', entry_of(op_at(made, '/srv/real', 'shadow'), 'alias').as)
    assert.is_nil((op_at(made, '/srv/link')))
    assert.is_nil((op_at(made, '/srv/gone')))
    made = planned { layers = { (host.layer { { 'socket.default', 'refused' } }) },
      host = { tree = tree, sockets = sockets } }
    assert.are.equal('inert', entry_of(op_at(made, '/srv/real', 'shadow'), 'alias').as)
    assert.is_nil((op_at(made, '/srv/link')))
    assert.is_nil((op_at(made, '/srv/gone')))
  end)

  it('looks at live sockets that are on no list folder by folder', function()
    local tree, sockets, looked = { ['/srv'] = 'dir', ['/opt'] = 'dir' }, {}, {}
    for i = 1, 50 do
      local where = ('/srv/%d.sock'):format(i)
      tree[where], sockets[i] = 'socket', { path = where, dev = 1, ino = i, inode = i }
    end
    local function patterns(...)
      local facts, door = host.facts { tree = tree, sockets = sockets }
      local look = door.look
      looked = {}
      function door.look(of, list)
        for _, item in ipairs(list) do
          if item:find('^/srv') then looked[#looked + 1] = item end
        end
        return look(of, list)
      end
      assert(host.resolve { facts = facts, door = door, layers = { (host.layer { ... }) } })
      return looked
    end
    assert.are.same({}, patterns { 'net', 'none' })
    assert.are.same({ '/srv' }, patterns { 'socket.default', 'refused' })
  end)

  it('refuses a socket where its file system is mounted a second time', function()
    local made = planned { authorities = { DOCKER }, host = {
      tree = { ['/run/docker.sock'] = 'socket' },
      mounts = { { id = 1, parent = 0, dev = 1, root = '/', path = '/' },
        { id = 2, parent = 1, dev = 2, root = '/', path = '/run' },
        { id = 3, parent = 1, dev = 2, root = '/', path = '/srv/second' } } } }
    assert.are.equal('inert', entry_of(op_at(made, '/srv/second', 'shadow'), 'docker.sock').as)
  end)

  it('leaves a file alone below which a refused name would lie', function()
    local made = planned { layers = { (host.layer { { 'file.hide', { '~/plain/x', 'page/x' } },
      { 'socket.refuse', '/srv/plain/x' } }) }, host = { tree = { ['/home/ada/plain'] = 'file',
      ['/home/ada/work/page'] = 'file', ['/srv'] = 'dir', ['/srv/plain'] = 'file' } } }
    for _, where in ipairs { '/home/ada/plain', '/home/ada/work/page', '/srv/plain' } do
      assert.is_nil((op_at(made, where)))
      local folder, name = where:match '^(.*)/([^/]*)$'
      local entry = entry_of(op_at(made, folder, 'shadow'), name)
      assert.is_true(entry == nil or entry.as == 'keep', where)
    end
  end)

  it('holds a device that is granted, but none that a layer refuses for good', function()
    local tree = { ['/dev/kvm'] = 'char', ['/srv/d'] = 'dir', ['/srv/d/kvm'] = 'char' }
    local links = { ['/dev/guest'] = { link = '/dev/kvm' } }
    for name, node in pairs(links) do tree[name] = node end
    local function given(refusal, thing)
      local site = host.layer { name = 'site.lua', { 'device.grant', thing }, refusal }
      return op_at(planned { layers = { site }, host = { tree = tree } }, thing, 'device') ~= nil
    end
    for _, thing in ipairs { '/dev/kvm', '/srv/d/kvm', '/dev/guest' } do
      assert.is_true(given(nil, thing), thing)
    end
    for thing, refusals in pairs {
      ['/dev/kvm'] = { { 'file.hide', '/dev/kvm' }, { 'file.hide', '/dev/kv*' },
        { 'file.protect', '/dev/kvm' } },
      ['/srv/d/kvm'] = { { 'file.hide', '/srv/d/kvm' }, { 'file.hide', '/srv/d' },
        { 'file.protect', '/srv/d/k*' } },
      ['/dev/guest'] = { { 'file.hide', '/dev/kvm' }, { 'file.hide', '/dev/guest' } },
    } do
      for _, refusal in ipairs(refusals) do
        assert.is_false(given(refusal, thing), refusal[1] .. ' ' .. refusal[2])
      end
    end
  end)

  it('keeps an off-list socket in the private /tmp', function()
    local made = planned { host = { tree = { ['/tmp/.s.PGSQL.5432'] = 'socket' },
      sockets = {
        { path = '/tmp/.s.PGSQL.5432', dev = 1, ino = 3, type = 'stream', inode = 4 } } } }
    assert.are.equal('bind', op_at(made, '/tmp/.s.PGSQL.5432').op)
  end)

  it('leaves a hidden folder out of its shadowed parent', function()
    local made = planned { secrets = { SSH },
      host = { tree = { ['/home/ada/.ssh'] = 'dir', ['/home/ada/.bashrc'] = 'file' } } }
    local home = op_at(made, '/home/ada', 'shadow')
    assert.are.equal('absent', entry_of(home, '.ssh').as)
    assert.are.equal('keep', entry_of(home, '.bashrc').as)
    assert.are.equal('rw', op_at(made, '/home/ada/work', 'bind').access)
  end)

  it('carves a granted file out of a hidden folder', function()
    local made = planned { secrets = { SSH },
      layers = { (host.layer { { 'file.read', '~/.ssh/known_hosts' } }) },
      host = { tree = { ['/home/ada/.ssh'] = 'dir', ['/home/ada/.ssh/known_hosts'] = 'file' } } }
    assert.are.equal('0111', op_at(made, '/home/ada/.ssh', 'shadow').mode)
    assert.are.equal('ro', op_at(made, '/home/ada/.ssh/known_hosts', 'bind').access)
  end)

  it('pins the ancestors of a protected file and binds it read-only', function()
    local made = planned { protected = { GIT },
      host = { tree = { ['/home/ada/work/.git'] = 'dir', ['/home/ada/work/.git/hooks'] = 'dir' } } }
    assert.are.same({ 'rw', true }, { op_at(made, '/home/ada/work/.git', 'bind').access,
      op_at(made, '/home/ada/work/.git', 'bind').pin })
    assert.are.equal('protect', op_at(made, '/home/ada/work/.git/hooks').op)
  end)

  it('protects, of names that are enough by one, the first that is absent, by a socket', function()
    local bare = { name = 'bare', from = 'policies/protected/bare.lua', why = 'executed',
      files = { 'commondir', 'refs', 'objects' }, first_absent = { 'refs', 'objects' },
      sockets = { 'commondir', 'refs', 'objects' } }
    local root = '/home/ada/work/'
    local function protected(tree)
      local made, out = planned { protected = { bare }, host = { tree = tree } }, {}
      for _, op in ipairs((staging.render(made))) do
        if op.op == 'protect' then out[#out + 1] = op.path:sub(#root + 1) .. ' '
          .. tostring(op.socket) end
      end
      table.sort(out)
      return table.concat(out, ', ')
    end
    assert.are.equal('commondir true, refs true', protected {})
    assert.are.equal('commondir true, objects true', protected { [root .. 'refs'] = 'dir' })
    assert.are.equal('commondir true, objects true',
      protected { [root .. 'refs'] = { link = root .. 'x' } })
    -- what another run has put, and a socket that may be opened
    assert.are.equal('commondir true, refs true',
      protected { [root .. 'refs'] = 'socket', ['mode ' .. root .. 'refs'] = 0 })
    assert.are.equal('commondir true, objects true', protected { [root .. 'refs'] = 'socket' })
    assert.are.equal('commondir true',
      protected { [root .. 'refs'] = 'dir', [root .. 'objects'] = 'dir' })
    assert.are.equal('commondir nil, refs true', protected { [root .. 'commondir'] = 'dir' })
  end)

  it('is the same value whatever the order of the layers', function()
    local one = host.layer { name = 'a.lua',
      { 'socket.refuse', '/srv/a.sock' }, { 'file.hide', '/srv/x' } }
    local two = host.layer { name = 'b.lua',
      { 'socket.refuse', '/srv/a.sock' }, { 'env.set', 'CI', '1' } }
    local tree = { ['/srv'] = 'dir', ['/srv/a.sock'] = 'socket', ['/srv/x'] = 'file' }
    local a = planned { layers = { one, two }, host = { tree = tree } }
    local b = planned { layers = { two, one }, host = { tree = tree } }
    assert.are.same(a, b)
  end)

  it('renders for bwrap: folders before what they hold, sealed at the end', function()
    local made, facts = planned { authorities = { DOCKER },
      host = { tree = { ['/run/docker.sock'] = 'socket' } } }
    local rendered = assert(argv.render(made, facts))
    local text = table.concat(rendered.args, ' ')
    assert.is_truthy(text:find('--ro-bind / / --perms 0755 --tmpfs /', 1, true)
      or text:find('--ro-bind / /', 1, true))
    assert.is_truthy(text:find('--ro-bind /dev/null /run/docker.sock', 1, true))
    assert.is_truthy(text:find('--remount-ro /run ', 1, true))
    assert.is_truthy(text:find('--cap-drop ALL', 1, true))
  end)

  it('makes /dev in the stage, with the terminal only where the command has it', function()
    local function dev(tty)
      local layers = tty and { (host.layer { { 'tty', tty } }) }
      local made, facts = planned { layers = layers, host = {} }
      facts.terminal = '/dev/pts/3'
      local text = table.concat(assert(argv.render(made, facts, { info = 3, block = 4 })).args, ' ')
      assert.is_nil(text:find('--dev ', 1, true))
      assert.is_truthy(text:find('--dev-bind / / ', 1, true))
      for _, op in ipairs(staging.render(made, facts)) do
        if op.op == 'dev' then return op.console or 'none' end
      end
    end
    assert.are.equal('none', dev())
    assert.are.equal('/dev/pts/3', dev 'inherit')
  end)

  it('refuses no name in /dev by an operation, as it is made anew', function()
    local made = planned { layers = { (host.layer { { 'file.hide', '/dev/sda' },
      { 'socket.refuse', '/dev/log' } }) }, host = { tree = { ['/dev'] = 'dir',
      ['/dev/sda'] = 'block', ['/dev/log'] = 'socket' } } }
    for _, op in ipairs(made.ops) do
      assert.is_true(op.op == 'dev' or not op.path:find('^/dev'), op.path)
    end
  end)

  it('leaves the processes of the host to the stage, else names each to bwrap', function()
    local made, facts = planned { layers = { (host.layer { { 'accept', 'later_cmdlines' } }) },
      host = { procfs = { mountable = false, reason = 'masked' }, processes = { '1', '20' } } }
    local staged = staging.render(made)
    assert.are.same({ op = 'processes', path = '/proc' }, staged[#staged])
    local function covered(descriptors)
      local rendered = assert(argv.render(made, facts, descriptors))
      return table.concat(rendered.args, ' '):match '%-%-perms 0555.*/proc/20' or ''
    end
    assert.are.equal('--perms 0555 --tmpfs /proc/1 --perms 0555 --tmpfs /proc/20', covered())
    assert.are.equal('', covered { info = 3, block = 4 })
  end)
end)
