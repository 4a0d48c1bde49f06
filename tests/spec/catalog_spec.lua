--- The catalog: what of the built-in records a run looks at, and what it takes for absent.
package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local catalog = require 'confine.pipeline.catalog'
local path = require 'confine.values.path'
local shipped = require 'shipped'

local SMALL = catalog.build {
  authorities = { { name = 'a', from = 'a.lua', grants = 'power',
    sockets = { '/run/a.sock', '/run/a-*.sock', '~/.a/s', '$XDG_RUNTIME_DIR/a' } } },
  secrets = { { name = 's', from = 's.lua', why = 'keys',
    files = { '~/.s', '~/.t/u', '$TOKEN' } } },
  protected = { { name = 'p', from = 'p.lua', why = 'executed',
    files = { '.git', '.claud[e]', 'mise*.toml', '*/.gi[t]', '~/.bashrc' } } },
}

local function set(names)
  local out = {}
  for _, name in ipairs(names) do out[name] = true end
  return out
end

--- What is picked, sorted, and what is absent by folder.
local function picked(given)
  local facts = { homes = { '/home/ada' }, runtime_dirs = { '/run/user/7' }, env = given.env or {},
    uid = 7, user = 'ada', root = '/home/ada/w', bases = {} }
  for _, folder in ipairs(catalog.folders(SMALL, facts)) do
    local names = given[folder]
    if names == nil then names = {} end
    facts.bases[folder] = { look = { path = folder, type = 'dir' }, names = names and set(names) }
  end
  local policy = { catalog = SMALL, grants = given.grants or {}, authorities = {
    a = { parts = { { sockets = { '~/.a/s', '/run/a-*.sock' } } } } } }
  local ways = catalog.ways(policy, facts)
  if #ways > 0 then facts.looks = {} end
  for _, at in ipairs(ways) do
    facts.looks[at] = { { path = (given.links or {})[at] or at, type = 'dir' } }
  end
  local entries, absent = catalog.pick(policy, facts)
  local things, missing = {}, {}
  for i, entry in ipairs(entries) do things[i] = entry.verb .. ' ' .. entry.thing end
  table.sort(things)
  for _, group in ipairs(absent) do missing[group.look.path] = table.concat(group.names, ' ') end
  return things, missing
end

-- Patterns are always looked at, and what is protected in the root, which may be made.
local ALWAYS = { 'protect */.gi[t]', 'protect .git', 'protect mise*.toml', 'refuse /run/a-*.sock' }

local function and_also(...)
  local out = { table.unpack(ALWAYS) }
  for _, name in ipairs { ... } do out[#out + 1] = name end
  table.sort(out)
  return out
end

describe('the catalog picks', function()
  it('nothing more on a bare host, and refuses all by their first names', function()
    local things, missing = picked {}
    assert.are.same(ALWAYS, things)
    assert.are.same({ ['/home/ada'] = '.a .s .t', ['/run'] = 'a.sock', ['/run/user/7'] = 'a' },
      missing)
  end)

  it('what begins with a name that is there', function()
    local things, missing = picked { ['/home/ada'] = { '.t', '.bashrc', 'x' }, ['/run'] = { 'a' },
      ['/home/ada/w'] = { '.claude', 'claude' } }
    assert.are.same(and_also('hide ~/.t/u', 'protect .claud[e]', 'protect ~/.bashrc'), things)
    assert.are.same({ ['/home/ada'] = '.a .s', ['/run'] = 'a.sock', ['/run/user/7'] = 'a' },
      missing)
  end)

  it('all of a folder that cannot be listed', function()
    local things, missing = picked { ['/home/ada'] = false, ['/home/ada/w'] = false }
    assert.are.same(and_also('hide ~/.s', 'hide ~/.t/u', 'protect .claud[e]', 'protect ~/.bashrc',
      'refuse ~/.a/s'), things)
    assert.is_nil(missing['/home/ada'])
  end)

  it('what a grant leads through, though it is absent', function()
    local things = picked { grants = { { noun = 'file', verb = 'read', thing = '~/.t/u/v' } } }
    assert.are.same(and_also('hide ~/.t/u'), things)
  end)

  it('what a granted authority names, though it is absent', function()
    local things, missing = picked { grants = { { noun = 'authority', thing = 'a' } } }
    assert.are.same(and_also('refuse ~/.a/s'), things)
    assert.are.equal('.s .t', missing['/home/ada'])
  end)

  it('what a grant leads through behind a link', function()
    local grants = { { noun = 'file', verb = 'read', thing = '/l/x' } }
    assert.are.same(ALWAYS, (picked { grants = grants }))
    local things = picked { grants = grants, links = { ['/l/x'] = '/home/ada/.t/u' } }
    assert.are.same(and_also('hide ~/.t/u'), things)
  end)

  it('what is protected in a place that a layer grants, though it is absent', function()
    for _, thing in ipairs { '~', '/home', '/l' } do
      local grant = { noun = 'file', verb = 'write', thing = thing }
      local things = picked { grants = { grant }, links = { ['/l'] = '/home/ada' } }
      assert.are.same(and_also('protect ~/.bashrc'), things, thing)
    end
    local near = { noun = 'file', verb = 'write', thing = '/home/ada2' }
    assert.are.same(ALWAYS, (picked { grants = { near } }))
  end)

  it('nothing of its own where a grant has a star, and says so', function()
    local facts = { homes = { '/home/ada' }, runtime_dirs = {}, env = {}, root = '/w' }
    local function ways(thing)
      local grants = { { noun = 'file', verb = 'read', thing = thing } }
      return catalog.ways({ grants = grants }, facts)
    end
    local at, has_star = ways '~/.t/*/v'
    assert.are.same({ '/home/ada/.t' }, at)
    assert.is_true(has_star)
    at, has_star = ways '~/.t/[*]/v'
    assert.are.same({ '/home/ada/.t/[*]/v' }, at)
    assert.is_false(has_star)
  end)

  it('what a variable that is set leads to', function()
    local things = picked { env = { TOKEN = '/srv/token' } }
    assert.are.same(and_also('hide $TOKEN'), things)
  end)
end)

local WHY = { a = 'power', s = 'keys', p = 'executed' }

describe('the catalog', function()
  it('gives each entry its record', function()
    for _, entry in ipairs(catalog.all(SMALL)) do
      local file = entry.from:match '^(%l)%.lua$'
      assert.are.equal(WHY[file], entry.why)
      assert.are.equal(file == 'a' and 'a' or nil, entry.authority)
      assert.are.equal(file == 'a' and 'socket' or 'file', entry.noun)
      assert.are.equal(entry.thing:find '[*[]' ~= nil, entry.is_glob)
      assert.is_false(entry.final)
      assert.are.same({}, entry.except)
    end
  end)

  it('takes no name that is not in normal form', function()
    for _, name in ipairs { '/a//b', '/a/../b', '~/a/', './a', '~/$X' } do
      assert.has_error(function()
        catalog.build { authorities = {}, protected = {},
          secrets = { { name = 's', from = 's.lua', files = { name } } } }
      end)
    end
  end)

  it('expands the names of all records as a policy expands them', function()
    local whole = catalog.build(shipped.records())
    local hosts = {
      { homes = { '/home/ada' }, env = {} },
      { homes = { '/home/ada', '/srv/ada' }, env = { XDG_CONFIG_HOME = '/etc/x//y/',
        TOKEN = 'no', HISTFILE = '/var/../h', KUBECONFIG = '/k/[a]*?', GNUPGHOME = '/a b/$c',
        XAUTHORITY = '/' } },
      { homes = { '/home/ada' }, env = { XDG_CONFIG_HOME = '/l/../cf', GNUPGHOME = '/r/..',
        HISTFILE = '/l/..', CARGO_HOME = '/unknown/../c' },
        looks = { ['/l/..'] = { { path = '/far' } }, ['/r/..'] = { { path = '/' } } } },
      { homes = { '/' }, env = { XDG_DATA_HOME = '/data', CARGO_HOME = 'relative' } },
    }
    for _, facts in ipairs(hosts) do
      facts.runtime_dirs, facts.uid, facts.user = { '/run/user/7', '/r' }, 7, 'ada'
      facts.root = facts.homes[1] == '/' and '/' or '/home/ada/w'
      facts.bases = setmetatable({}, { __index = function() return { look = {} } end })
      local entries = catalog.pick({ catalog = whole, grants = {} }, facts)
      assert.is_true(#entries > 1000)
      for _, entry in ipairs(entries) do
        assert.are.same(path.expand(entry.thing, facts), entry.expansion, entry.thing)
      end
    end
  end)
end)
