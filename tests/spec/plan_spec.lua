-- What stands in the way of a plan: each problem with its line and remedy, and nothing planned.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local bounds = require 'confine.pipeline.bounds'
local catalog = require 'confine.pipeline.catalog'
local host = require 'host'
local plan = require 'confine.pipeline.plan'
local problem = require 'confine.values.problem'

local function outcome(given)
  given.facts, given.door = host.facts(given.host or {})
  local resolved, problems, facts, policy = host.resolve(given)
  local made
  if resolved then
    assert.are.same({}, problems)
    made, problems = plan.build(policy, facts, { 'true' }, resolved)
  end
  local texts = {}
  for i, item in ipairs(problems) do texts[i] = problem.text(item):match '^[^\n]+' end
  return made, texts, facts
end

local function refused(given)
  local made, texts = outcome(given)
  assert.is_nil(made)
  return texts
end

describe('no plan is made', function()
  it('for a root that is the whole host, a home, or holds one', function()
    assert.are.same({ 'the writable root would be /, the whole host' },
      refused { host = { root = '/', cwd = '/' } })
    assert.are.same({ 'the writable root would be /home/ada, which is your home' },
      refused { host = { root = '/home/ada', cwd = '/home/ada' } })
    assert.are.same({ 'the writable root would be /home, which contains your home' },
      refused { host = { root = '/home', cwd = '/home' } })
  end)

  it("for a root that is a repository's own folder", function()
    local bare = { name = 'bare', from = 'bare.lua', files = { 'commondir', 'refs' }, why = 'x' }
    local function try(tree)
      local at = {}
      for name, kind in pairs(tree) do at[name:gsub('%a+$', '/home/ada/work/%0')] = kind end
      return { outcome { host = { tree = at },
        catalog = catalog.build { protected = { bare }, authorities = {}, secrets = {} } } }
    end
    local wanted = { "the writable root /home/ada/work is a git repository's own folder: what a "
      .. 'command writes there, git outside would execute' }
    assert.are.same({ (wanted[1]:gsub('work is', 'work lies in')) },
      select(2, outcome { host = { git_folder = '/home/ada' } }))
    assert.are.same(wanted, try({ HEAD = 'file', objects = 'dir', refs = 'dir' })[2])
    assert.are.same(wanted, try({ HEAD = 'file', commondir = 'file' })[2])
    assert.is_truthy(try({ HEAD = 'file', objects = 'dir' })[1])
    -- What another run has put there is none of it.
    for _, name in ipairs { 'refs', 'commondir' } do
      assert.is_truthy(try({ HEAD = 'file', objects = 'dir', [name] = 'socket',
        ['mode ' .. name] = 0 })[1])
    end
  end)

  it('for a root in a place that is made anew inside', function()
    assert.are.same({ 'the writable root would be /dev/shm/x, in /dev' },
      refused { host = { root = '/dev/shm/x', cwd = '/dev/shm/x', tree = { ['/dev'] = 'dir',
        ['/dev/shm'] = 'dir', ['/dev/shm/x'] = 'dir' } } })
  end)

  it('for a grant that cannot be meant', function()
    local flags = host.layer { name = 'command line', trust = 'given', { 'file.write', '/nosuch' },
      { 'device.grant', '/dev/nosuch' }, { 'file.write', '/' } }
    assert.are.same({ 'command line:1: /nosuch does not exist',
      'command line:2: device.grant: /dev/nosuch is no device of this host',
      'command line:3: file.write: / would be the whole host' }, refused { layers = { flags } })
  end)

  it('for hiding what is made for each run', function()
    local site = host.layer { { 'file.hide', '/proc/version' }, { 'file.hide', '/dev' },
      { 'file.protect', '/proc/version' }, { 'file.hide', '/dev/kmsg' } }
    assert.are.same({
      "site.lua:2: file.hide: /dev cannot be hidden: the command's /dev is made for the run",
      "site.lua:1: file.hide: /proc/version cannot be hidden: the command's /proc is made for "
        .. 'the run' }, refused { layers = { site },
      host = { tree = { ['/proc/version'] = 'file', ['/dev/kmsg'] = 'char' } } })
  end)

  it('for hiding a device that every run has, unless a variable or a link leads to it', function()
    local tree = { ['/dev/null'] = 'char', ['/dev/sda'] = 'block' }
    local site = host.layer { { 'file.hide', '/dev/null' }, { 'socket.refuse', '/dev/sda' } }
    assert.are.same({
      "site.lua:1: file.hide: /dev/null cannot be hidden: the command's /dev is made for the run"
    }, refused { layers = { site }, host = { tree = tree } })
    site = host.layer { { 'file.hide', '$HISTFILE' }, { 'file.hide', '~/.history' },
      { 'socket.refuse', '/dev/null' } }
    tree['/home/ada/.history'] = { link = '/dev/null' }
    assert.is_truthy((outcome { layers = { site },
      host = { tree = tree, env = { HISTFILE = '/dev/null', HOME = '/home/ada' } } }))
  end)

  it('for a grant of what lies in /dev and is no device', function()
    local site = host.layer { { 'file.write', '/dev/shm/x' }, { 'socket.grant', '/dev/log' },
      { 'device.grant', '/dev/kvm' } }
    local tree = { ['/dev/shm'] = 'dir', ['/dev/shm/x'] = 'dir', ['/dev/log'] = 'socket',
      ['/dev/kvm'] = 'char' }
    assert.are.same({
      "site.lua:1: file.write: nothing of the host's is seen at /dev/shm/x: each run has a /dev "
        .. 'of its own',
      "site.lua:2: socket.grant: nothing of the host's is seen at /dev/log: each run has a /dev "
        .. 'of its own' }, refused { layers = { site }, host = { tree = tree } })
  end)

  it("for a grant in what is the kernel's, unless a variable leads a profile there",
    function()
      local lines = { { 'file.write', '/proc/sys' }, { 'file.private', '/sys/kernel' },
        { 'file.read', '/sys/class' }, { 'file.write', '/srv/settings' } }
      local tree = { ['/sys'] = 'dir', ['/sys/kernel'] = 'dir', ['/srv'] = 'dir',
        ['/srv/settings'] = { link = '/proc/sys' } }
      local proc = '/proc/sys belongs to the /proc that is made for the run'
      assert.are.same({ "site.lua:2: file.private: /sys/kernel is no place to write to: what lies "
        .. "there are the kernel's settings, for the whole host",
        'site.lua:1: file.write: ' .. proc, 'site.lua:4: file.write: ' .. proc },
        refused { layers = { (host.layer(lines)) }, host = { tree = tree } })
      local default = host.default_profile()
      table.insert(default.statements, host.layer({ kind = 'profile', trust = 'builtin',
        { 'file.private', '$CACHE' } }).statements[1])
      assert.is_truthy((outcome { profiles = { default = default },
        host = { env = { CACHE = '/proc/sys', HOME = '/home/ada' } } }))
    end)

  it('for a refusal of the whole host, by whatever name', function()
    local site = host.layer { { 'file.hide', '/' }, { 'socket.refuse', '/' },
      { 'file.hide', '/srv/all' } }
    assert.are.same({ 'site.lua:1: file.hide: / would be the whole host',
      'site.lua:3: file.hide: /srv/all, which is /, would be the whole host',
      'site.lua:2: socket.refuse: / would be the whole host' }, refused { layers = { site },
      host = { tree = { ['/srv'] = 'dir', ['/srv/all'] = { link = '/' } } } })
  end)

  it('with a network and no guard for abstract sockets', function()
    local net = host.layer { { 'net', 'host' } }
    local texts = refused { layers = { net }, host = { landlock_scopes = false } }
    assert.are.equal(1, #texts)
    assert.is_truthy(texts[1]:find("site.lua:1: net 'host'", 1, true))
  end)

  it('where no procfs can be mounted and one is asked for', function()
    local fresh = host.layer { { 'proc', 'fresh' } }
    local texts = refused { layers = { fresh }, host = { procfs = { mountable = false,
      reason = 'masked' } } }
    assert.are.same({ "site.lua:1: proc 'fresh': no procfs can be mounted here: masked" }, texts)
  end)
end)

describe('what is accepted', function()
  it('lets a run start, and its bounds name it', function()
    local function weaker(scopes)
      local accepted = host.layer { { 'net', 'host' }, { 'accept', 'abstract_sockets' } }
      local made, _, facts = outcome { layers = { accepted }, host = { landlock_scopes = scopes } }
      local said = bounds.of(made, facts, {}, { of = {},
        stage = { results = {}, left = 0, waiting = 0, unwatched = 0 } })
      local names = { said.abstract }
      for i, item in ipairs(said.weaker) do names[i + 1] = item.name .. ': ' .. item.message end
      return names
    end
    assert.are.same({ 'reachable', "abstract_sockets: net 'host' without a Landlock scope: "
      .. 'abstract sockets of the host are reachable' }, weaker(false))
    assert.are.same({ 'landlock' }, weaker(true))
  end)
end)
