-- What `explain` proposes to write: lines that a policy takes, where the caller can write them, and
-- only what does what it says.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local explain = require 'confine.views.explain'
local folders = require 'confine.values.policy_folders'
local host = require 'host'
local remedy = require 'confine.views.remedy'

--- Where the caller of the made-up host writes a line of theirs.
local OWN = '/home/ada/.config/confine-lua/user.lua'

describe('what explain proposes', function()
  it('names things in its lines as a policy takes them', function()
    local facts, door = host.facts { tree = {} }
    local resolved = host.resolve { facts = facts, door = door }
    for thing, wanted in pairs { ["/srv/it's"] = [['/srv/it\'s']],
      ['/srv/\27[m'] = [['/srv/\x1b[[]m']], ['/srv/a$b'] = "'/srv/a[$]b'" } do
      assert.are.equal('file.hide ' .. wanted .. ' in ' .. OWN,
        remedy.of({ thing = thing, verdict = 'writable', kind = 'fifo' }, resolved))
    end
    assert.are.equal(("file.write '/srv/a[*]' in %s, or --write '/srv/a*'"):format(OWN),
      remedy.of({ thing = '/srv/a*', verdict = 'readable', kind = 'dir' }, resolved))
  end)

  it('is a line for a file that the caller can write: root the one of the site, others their own',
    function()
      for wanted, env in pairs { [OWN] = {}, ['/srv/c/confine-lua/user.lua'] = {
        XDG_CONFIG_HOME = '/srv//c' } } do
        assert.are.equal(wanted, folders.own_file { uid = 1000, home = '/home/ada', env = env })
      end
      assert.are.equal(OWN, folders.own_file { uid = 1000, home = '/home/ada',
        env = { XDG_CONFIG_HOME = 'relative' } })
      assert.are.equal('/etc/confine-lua/site.lua', folders.own_file { uid = 0, home = '/root',
        env = { XDG_CONFIG_HOME = '/srv/c' } })
      assert.are.equal('/etc/confine-lua/site.lua', folders.own_file { uid = 1000, env = {} })
    end)

  it('is of a file what a grant of it can do, and nothing for what git replaces', function()
    local work = '/home/ada/work/'
    local facts, door = host.facts { tree = { [work .. '.git'] = 'dir',
      [work .. '.git/config'] = 'file', [work .. '.git/hooks'] = 'dir',
      [work .. '.git/hooks/pre-push'] = 'file', [work .. '.github'] = 'dir',
      ['/home/ada/.gitconfig'] = 'file', ['/srv'] = 'dir', ['/srv/f'] = 'file' } }
    local resolved = host.resolve { facts = facts, door = door, protected = {
      { name = 'git', from = 'policies/protected/git.lua', trust = 'builtin', why = 'git runs it',
        files = { '.git/config', '.git/hooks', '~/.gitconfig' }, folders = { 'hooks' } },
      { name = 'ci', from = 'policies/protected/ci.lua', trust = 'builtin', why = 'it is run',
        files = { '.github/workflows' }, folders = { 'workflows' } } } }
    local function told(thing)
      return explain.thing(resolved, thing,
        function(where) return door.look({ looks = {} }, { where }).looks[where][1] end).remedy
    end
    local outside = 'none: git replaces this file, which a grant does not allow; do it outside'
    local place = ': it is written in place, and cannot be replaced'
    local first = 'make it first, or grant its folder; what is not there cannot be made writable'
    local function line(thing, more)
      return ("file.write '%s' in %s, or --write %s%s"):format(thing, OWN, thing, more)
    end
    local hooks = work .. '.git/hooks'
    for thing, wanted in pairs { [work .. '.git/config'] = outside,
      ['/home/ada/.gitconfig'] = outside, [hooks] = line(hooks, ''),
      [hooks .. '/pre-push'] = line(hooks .. '/pre-push', place),
      ['/srv/f'] = line('/srv/f', place), ['/srv/new'] = first,
      [work .. '.github/workflows/ci.yml'] = 'make it first, outside' } do
      assert.are.same({ thing, wanted }, { thing, told(thing) })
    end
  end)
end)
