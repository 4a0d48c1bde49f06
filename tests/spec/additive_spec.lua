-- Property test over random layers: a layer only adds refusals.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local host = require 'host'
local verdict = require 'confine.pipeline.verdict'

local CASES = tonumber(os.getenv 'CONFINE_PROPERTY_CASES') or 2000
-- Not in a test's name: the same tests have the same names in every run.
local SEED = tonumber(os.getenv 'CONFINE_SEED') or os.time()

local TREE = {
  ['/srv'] = 'dir', ['/srv/a.sock'] = 'socket', ['/srv/b.sock'] = 'socket',
  ['/srv/link'] = { link = '/run/docker.sock' }, ['/run/docker.sock'] = 'socket',
  ['/home/ada/.ssh'] = 'dir', ['/home/ada/.ssh/id'] = 'file', ['/home/ada/.ssh/known'] = 'file',
  ['/home/ada/.aws'] = 'dir', ['/home/ada/.aws/credentials'] = 'file',
  ['/home/ada/work/.git'] = 'dir', ['/home/ada/work/.git/hooks'] = 'dir',
  ['/home/ada/work/x'] = 'file',
}

local SOCKETS = { '/srv/a.sock', '/srv/b.sock', '/run/docker.sock', '/srv/late.sock' }
local ABSTRACT = { 'bus', 'other' }
local FILES = { '/home/ada/.ssh', '/home/ada/.ssh/id', '/home/ada/.ssh/known',
  '/home/ada/.aws/credentials', '/home/ada/work/.git/hooks', '/home/ada/work/x', '/srv' }
local VARIABLES = { 'DOCKER_HOST', 'TERM', 'AWS_KEY', 'PATH' }

local AUTHORITIES = {
  { name = 'docker', grants = 'root', from = 'docker.lua',
    sockets = { '/run/docker.sock', '/srv/*.sock' }, env = { DOCKER_HOST = 'url' } },
  { name = 'agent', grants = 'keys', from = 'agent.lua', sockets = { '/srv/a.sock' },
    abstract = { 'bus' }, env = { SSH_AUTH_SOCK = 'path' } },
}
local SECRETS = {
  { name = 's', from = 's.lua', files = { '~/.ssh', '~/.aws/credentials' }, why = 'keys' },
}
local PROTECTED = { { name = 'g', from = 'g.lua', files = { '.git/hooks' } } }

local REFUSED = { '/srv/a.sock', '/srv/*.sock', '@bus', '/srv/link', '/run/docker.sock' }

local function pick(list) return list[math.random(#list)] end

local REFUSING = {
  function() return { 'authority.refuse', pick { 'docker', 'agent' } } end,
  function() return { 'authority.add', 'docker', { sockets = { pick(SOCKETS) } } } end,
  function() return { 'socket.refuse', pick(REFUSED) } end,
  function() return { 'env.refuse', pick { 'AWS_*', 'TERM', 'DOCKER_HOST' } } end,
  function() return { 'file.hide', pick(FILES) } end,
  function() return { 'file.protect', pick(FILES) } end,
  function() return { 'net', 'none' } end,
  function() return { 'socket.default', 'refused' } end,
  function() return { 'limit', { pids = math.random(100) } } end,
}
local GRANTING = {
  function() return { 'authority.grant', pick { 'docker', 'agent' } } end,
  function() return { 'socket.grant', pick(SOCKETS) } end,
  function() return { 'env.allow', pick(VARIABLES) } end,
  function() return { 'file.read', pick(FILES) } end,
  function() return { 'file.write', pick(FILES) } end,
  function() return { 'net', 'host' } end,
}

local function random_layer(name, makers, trust)
  local of = { name = name, trust = trust }
  for i = 1, math.random(4) do of[i] = pick(makers)() end
  return host.layer(of)
end

local function both()
  local out = {}
  for _, maker in ipairs(REFUSING) do out[#out + 1] = maker end
  for _, maker in ipairs(GRANTING) do out[#out + 1] = maker end
  return out
end

--- Every thing of the small universe with how much of it is left: 0 is the most refused.
local LEFT = { refused = 0, hidden = 0, unset = 0, protected = 1, readable = 1, private = 2,
  writable = 2, reachable = 1, passed = 1, set = 1 }

local function measure(layers)
  local facts, door = host.facts { tree = TREE, env = { HOME = '/home/ada', PATH = '/bin',
    TERM = 'x', AWS_KEY = 'k', DOCKER_HOST = 'unix:///srv/b.sock' } }
  local resolved = host.resolve { facts = facts, door = door, layers = layers,
    authorities = AUTHORITIES, secrets = SECRETS, protected = PROTECTED }
  local out = {}
  local function note(thing, answer) out[thing] = LEFT[answer.verdict] end
  for _, where in ipairs(SOCKETS) do
    local look = door.look({ looks = {} }, { where }).looks[where][1]
    note('socket ' .. where, verdict.socket(resolved, where, look.type == 'socket' and look))
  end
  for _, name in ipairs(ABSTRACT) do note('@' .. name, verdict.abstract(resolved, name)) end
  for _, where in ipairs(FILES) do note('file ' .. where, verdict.file(resolved, where)) end
  for _, name in ipairs(VARIABLES) do note('env ' .. name, verdict.env(resolved, name)) end
  return out
end

local function shuffled(list)
  local out = { table.unpack(list) }
  for i = #out, 2, -1 do
    local j = math.random(i)
    out[i], out[j] = out[j], out[i]
  end
  return out
end

describe('layers only add refusals', function()
  it('whatever their order, whatever is added, whoever grants', function()
    -- What a report has in hand goes first, so that this does not land in the middle of a line.
    io.stdout:flush()
    io.stderr:write(('additive_spec: CONFINE_SEED=%d, %d cases\n'):format(SEED, CASES))
    math.randomseed(SEED)
    for case = 1, CASES do
      local function failure(format, ...)
        return ('seed %d, case %d: '):format(SEED, case) .. format:format(...)
      end
      local layers = {}
      for i = 1, math.random(0, 3) do
        layers[i] = random_layer(('l%d.lua'):format(i), both(), 'site')
      end
      local before = measure(layers)

      assert.are.same(before, measure(shuffled(layers)), failure('the order of layers matters'))

      local trust = pick { 'site', 'project' }
      local added = { random_layer('added.lua', REFUSING, trust), table.unpack(layers) }
      local after = measure(shuffled(added))
      for thing, left in pairs(before) do
        assert.is_true(after[thing] <= left,
          failure('%s was %d and became %d by a refusing layer', thing, left, after[thing]))
      end

      local project, problems = random_layer('.confine.lua', GRANTING, 'project')
      assert.is_true(#problems > 0, failure('a project layer granted'))
      assert.are.same(before, measure { project, table.unpack(layers) },
        failure('an untrusted grant changed a verdict'))
    end
  end)
end)
