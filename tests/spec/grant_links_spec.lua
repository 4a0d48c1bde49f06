-- Grants that come to what they grant by a link that a command may have made: no run starts.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local host = require 'host'

local AUTHORITIES = { { name = 'agent', grants = 'keys', from = 'agent.lua',
  sockets = { '/run/agent.sock' }, env = { AGENT = 'path' } } }

local TREE = { ['/work'] = 'dir', ['/srv'] = 'dir', ['/home/ada'] = 'dir',
  ['/home/ada/.bashrc'] = 'file', ['/home/ada/docs'] = 'dir', ['/srv/a.sock'] = 'socket',
  ['/home/ada/docs/d'] = 'file', ['/home/ada/shared'] = 'dir',
  ['/home/ada/shared/up'] = { link = '../docs' }, ['/data'] = { link = '/srv' },
  ['/work/out'] = { link = '/home/ada/.bashrc' }, ['/work/docs'] = { link = '../home/ada/docs' },
  ['/work/db.sock'] = { link = '/srv/a.sock' },
  ['/work/real'] = 'dir', ['/work/bin'] = 'dir', ['/work/bin/x'] = { link = '../real' },
  ['/work/.git'] = 'dir', ['/work/.git/hooks'] = 'dir', ['/work/hk'] = { link = '.git/hooks' },
  ['/work/gone'] = { link = '/home/ada/none' }, ['/work/kvm'] = { link = '/dev/kvm' },
  ['/work/twice'] = { link = 'docs' } }

local function problems_of(statements, env)
  local variables = { HOME = '/home/ada', PATH = '/bin' }
  for name, value in pairs(env or {}) do variables[name] = value end
  local facts, door = host.facts { tree = TREE, env = variables, root = '/work' }
  local resolved, problems = host.resolve { facts = facts, door = door,
    layers = { (host.layer(statements)) }, authorities = AUTHORITIES,
    protected = { { name = 'git', files = { '.git/hooks' }, from = 'git.lua', why = 'runs' } } }
  local out = {}
  for i, item in ipairs(not resolved and problems or {}) do
    out[i] = ('%s: %s (%s)'):format(item.from, item.message, item.hint)
  end
  return out
end

local function led(shown, link, target, hint)
  return { ('site.lua:1: %s comes by the link %s, which a command may have made, to %s (%s)')
    :format(shown, link, target, hint or ('name %s itself, if that is meant'):format(target)) }
end

describe('a grant by a link in a written place', function()
  it('is a problem that names the link, where it leads and the remedy', function()
    for _, case in ipairs {
      { 'file.write', 'out', '/work/out', '/home/ada/.bashrc' },
      { 'file.read', 'docs/d', '/work/docs', '/home/ada/docs/d' },
      { 'file.write', 'gone', '/work/gone', '/home/ada/none' },
      { 'file.read', 'docs/../.bashrc', '/work/docs', '/home/ada/.bashrc' },
      { 'file.read', 'twice', '/work/twice', '/home/ada/docs' },
      { 'socket.grant', 'db.sock', '/work/db.sock', '/srv/a.sock' },
      { 'socket.grant', 'd?.sock', '/work/db.sock', '/srv/a.sock' },
      { 'device.grant', '/work/kvm', '/work/kvm', '/dev/kvm' },
    } do
      local word, thing, link, target = table.unpack(case)
      assert.are.same(led(("%s '%s'"):format(word, thing), link, target),
        problems_of { { word, thing } })
    end
  end)

  it('is one where the link only lifts what is refused in the same place', function()
    assert.are.same(led("file.write 'hk'", '/work/hk', '/work/.git/hooks'),
      problems_of { { 'file.write', 'hk' } })
  end)

  it('is none where the link stays within, or lies where no command writes', function()
    for _, case in ipairs { { 'file.write', 'bin/x' }, { 'file.read', '/data' },
      { 'file.read', '~/shared/up' }, { 'file.write', '~/docs' } } do
      assert.are.same({}, problems_of { case })
    end
  end)

  it('is one in a folder that another line makes writable', function()
    assert.are.same({ "site.lua:2: file.read '~/shared/up' comes by the link /home/ada/shared/up, "
      .. 'which a command may have made, to /home/ada/docs (name /home/ada/docs itself, if that is '
      .. 'meant)' },
      problems_of { { 'file.write', '~/shared' }, { 'file.read', '~/shared/up' } })
  end)

  it('is one of an authority whose variable names such a link', function()
    assert.are.same(led('$AGENT', '/work/db.sock', '/srv/a.sock',
      'let $AGENT be /srv/a.sock itself, if that is meant'),
      problems_of({ { 'authority.grant', 'agent' } }, { AGENT = '/work/db.sock' }))
    assert.are.same({}, problems_of({ { 'authority.grant', 'agent' } }, { AGENT = '/srv/a.sock' }))
  end)
end)
