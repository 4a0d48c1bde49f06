-- What a grant of an authority hands out: one socket, its variable, and credential files only where
-- the record says that it is of no use without them.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local host = require 'host'
local plan = require 'confine.pipeline.plan'
local verdict = require 'confine.pipeline.verdict'
local view = require 'confine.pipeline.view'

local AUTHORITIES = {
  { name = 'agent', grants = 'keys', from = 'agent.lua', sockets = { '/run/agent.sock' },
    env = { AGENT = 'path', A_COUSIN = 'path', AGENT_PID = 'name' }, variable = 'AGENT',
    secrets = { '~/.agent' } },
  { name = 'engine', grants = 'root', from = 'engine.lua', sockets = { '/run/engine.sock' },
    env = { ENGINE_HOST = 'url', Z_HOST = 'url' } },
  { name = 'screen', grants = 'the screen', from = 'screen.lua', needs_secrets = true,
    sockets = { '/run/screen.sock' }, env = { COOKIES = 'name', SCREEN_TOKEN = 'name' },
    secrets = { '~/.cookies', '$COOKIES' } },
}

local TREE = { ['/run/agent.sock'] = 'socket', ['/run/engine.sock'] = 'socket',
  ['/run/screen.sock'] = 'socket', ['/srv'] = 'dir', ['/srv/odd'] = 'socket',
  ['/srv/cookies'] = 'file', ['/home/ada/.cookies'] = 'file', ['/home/ada/.agent'] = 'file' }

--- The environment that a policy gives the command, beyond the floor, and the resolved policy.
local function granted(names, env, more)
  local variables = { HOME = '/home/ada', PATH = '/bin' }
  for name, value in pairs(env or {}) do variables[name] = value end
  local facts, door = host.facts { tree = TREE, env = variables }
  local layers = { (host.layer { { 'authority.grant', names }, more }) }
  local resolved, problems, _, policy = host.resolve { facts = facts, door = door,
    layers = layers, authorities = AUTHORITIES }
  assert.are.same({}, problems)
  local made = assert(plan.build(policy, facts, { 'true' }, resolved))
  local out = {}
  for _, item in ipairs(made.env) do
    if item.name ~= 'HOME' and item.name ~= 'PATH' then out[item.name] = item.value end
  end
  return out, resolved
end

describe('a granted authority', function()
  it('sets the variable that its record says, else the first that is an address', function()
    assert.are.same({ AGENT = '/run/agent.sock' }, (granted 'agent'))
    assert.are.same({ ENGINE_HOST = 'unix:///run/engine.sock' }, (granted 'engine'))
  end)

  it('sets every variable of its own that is set outside, to the socket that is exposed', function()
    assert.are.same({ AGENT = '/srv/odd', A_COUSIN = '/srv/odd' },
      (granted('agent', { A_COUSIN = '/srv/odd', AGENT_PID = '7' })))
  end)

  it('passes on a variable that leads to no socket here, and exposes none in its place', function()
    local far = { ENGINE_HOST = 'tcp://far' }
    local set, resolved = granted('engine', far)
    assert.are.same(far, set)
    assert.are.same({}, view.granted_sockets(resolved, resolved.facts))
    -- One of two: the socket that the other names is exposed.
    assert.are.same({ ENGINE_HOST = 'tcp://far', Z_HOST = 'unix:///srv/odd' },
      (granted('engine', { ENGINE_HOST = 'tcp://far', Z_HOST = 'unix:///srv/odd' })))
  end)

  it('sets nothing that is refused for good, and no variable of another', function()
    assert.are.same({}, (granted('agent', {}, { 'env.refuse', 'AGENT' })))
    assert.are.same({ AGENT = '/run/agent.sock' },
      (granted('agent', { ENGINE_HOST = 'tcp://far' })))
  end)

  it('leaves its credential files hidden', function()
    local _, resolved = granted 'agent'
    assert.are.equal('hidden', verdict.file(resolved, '/home/ada/.agent').verdict)
  end)

  it('shows them where its record needs them, with the variable that names them', function()
    local env = { COOKIES = '/srv/cookies', SCREEN_TOKEN = 'secret' }
    local variables, resolved = granted('screen', env)
    assert.are.same({ COOKIES = '/srv/cookies' }, variables)
    for _, where in ipairs { '/home/ada/.cookies', '/srv/cookies' } do
      local answer = verdict.file(resolved, where)
      assert.are.same({ where, 'readable', 'site.lua:1' },
        { where, answer.verdict, answer.lifted.by })
    end
    variables, resolved = granted('agent', env)
    assert.are.same({ AGENT = '/run/agent.sock' }, variables)
    assert.are.equal('hidden', verdict.file(resolved, '/srv/cookies').verdict)
  end)

  it('does not show what is hidden for good', function()
    local _, resolved = granted('screen', {}, { 'file.hide', '~/.cookies' })
    assert.are.equal('hidden', verdict.file(resolved, '/home/ada/.cookies').verdict)
  end)
end)
