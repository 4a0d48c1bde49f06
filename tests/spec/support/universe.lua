-- A small universe for property tests of layers: a host, records, random statements over its few
-- names, and a measure of how much of each name a policy leaves.

local catalog = require 'confine.pipeline.catalog'
local host = require 'host'
local verdict = require 'confine.pipeline.verdict'

local M = {}

M.TREE = {
  ['/srv'] = 'dir', ['/srv/a.sock'] = 'socket', ['/srv/b.sock'] = 'socket',
  ['/srv/odd.sock'] = 'socket', ['/srv/link'] = { link = '/run/docker.sock' },
  ['/run/docker.sock'] = 'socket', ['/opt'] = 'dir', ['/opt/odd.sock'] = 'socket',
  ['/home/ada/.ssh'] = 'dir', ['/home/ada/.ssh/id'] = 'file', ['/home/ada/.ssh/known'] = 'file',
  ['/home/ada/.aws'] = 'dir', ['/home/ada/.aws/credentials'] = 'file',
  ['/home/ada/work/.git'] = 'dir', ['/home/ada/work/.git/hooks'] = 'dir',
  ['/home/ada/work/x'] = 'file',
}

--- Who holds what: /opt/odd.sock and @held are named by no record, but for their owners.
M.LISTENING = { { path = '/opt/odd.sock', inode = 1 }, { abstract = 'held', inode = 1 },
  { path = '/run/docker.sock', inode = 2 }, { path = '/srv/odd.sock', inode = 3 } }
M.HOLDERS = { { pid = 7, uid = 1000, comm = 'ssh-agent', sockets = { 1, 2 } },
  { pid = 8, uid = 1000, comm = 'ssh-agent', command = 'ssh-agent\0-a\0/srv/odd.sock\0' } }

M.ENV = { HOME = '/home/ada', PATH = '/bin', TERM = 'x', AWS_KEY = 'k',
  DOCKER_HOST = 'unix:///srv/b.sock' }

M.SOCKETS = { '/srv/a.sock', '/srv/b.sock', '/run/docker.sock', '/srv/late.sock',
  '/opt/odd.sock', '/srv/odd.sock' }
M.ABSTRACT = { 'bus', 'held', 'other' }
M.FILES = { '/home/ada/.ssh', '/home/ada/.ssh/id', '/home/ada/.ssh/known',
  '/home/ada/.aws/credentials', '/home/ada/work/.git/hooks', '/home/ada/work/x', '/srv' }
M.VARIABLES = { 'DOCKER_HOST', 'TERM', 'AWS_KEY', 'PATH' }

M.RECORDS = {
  authorities = {
    { name = 'docker', grants = 'root', from = 'docker.lua', trust = 'builtin',
      sockets = { '/run/docker.sock', '/srv/?.sock' }, env = { DOCKER_HOST = 'url' } },
    { name = 'agent', grants = 'keys', from = 'agent.lua', trust = 'builtin',
      sockets = { '/srv/a.sock' }, abstract = { 'bus' }, env = { SSH_AUTH_SOCK = 'path' },
      owners = { 'ssh-agent' } },
  },
  secrets = {
    { name = 's', from = 's.lua', files = { '~/.ssh', '~/.aws/credentials' }, why = 'keys' },
  },
  protected = { { name = 'g', from = 'g.lua', files = { '.git/hooks' } } },
}
M.CATALOG = catalog.build(M.RECORDS)

local REFUSED = { '/srv/a.sock', '/srv/*.sock', '@bus', '/srv/link', '/run/docker.sock',
  '/opt/odd.sock' }

local function pick(list) return list[math.random(#list)] end
M.pick = pick

M.REFUSING = {
  function() return { 'authority.refuse', pick { 'docker', 'agent' } } end,
  function()
    return { 'authority.add', pick { 'docker', 'house' }, { sockets = { pick(M.SOCKETS) } } }
  end,
  function() return { 'authority.add', 'docker', { owners = { 'ssh-agent' } } } end,
  function() return { 'socket.refuse', pick(REFUSED) } end,
  function() return { 'env.refuse', pick { 'AWS_*', 'TERM', 'DOCKER_HOST' } } end,
  function() return { 'file.hide', pick(M.FILES) } end,
  function() return { 'file.protect', pick(M.FILES) } end,
  function() return { 'net', 'none' } end,
  function() return { 'socket.default', 'refused' } end,
  function() return { 'limit', { pids = math.random(8, 100) } } end,
}
M.GRANTING = {
  function() return { 'authority.grant', pick { 'docker', 'agent' } } end,
  function() return { 'socket.grant', pick(M.SOCKETS) } end,
  function() return { 'env.allow', pick(M.VARIABLES) } end,
  function() return { 'file.read', pick(M.FILES) } end,
  function() return { 'file.write', pick(M.FILES) } end,
  function() return { 'net', 'host' } end,
}
M.BOTH = table.move(M.GRANTING, 1, #M.GRANTING, #M.REFUSING + 1, { table.unpack(M.REFUSING) })

--- Random statements { word, argument, ... }, one to four of them.
function M.statements(makers)
  local out = {}
  for i = 1, math.random(4) do out[i] = pick(makers)() end
  return out
end

--- A list in another order.
function M.shuffled(list)
  local out = { table.unpack(list) }
  for i = #out, 2, -1 do
    local j = math.random(i)
    out[i], out[j] = out[j], out[i]
  end
  return out
end

--- The universe's host.
-- @param more fields of the facts that differ
-- @return facts, door
function M.host(more)
  local given = { tree = M.TREE, env = M.ENV, sockets = M.LISTENING, holders = M.HOLDERS }
  for key, value in pairs(more or {}) do given[key] = value end
  return host.facts(given)
end

local LEFT = { refused = 0, hidden = 0, unset = 0, protected = 1, readable = 1, private = 2,
  writable = 2, reachable = 1, passed = 1, set = 1 }

--- The things that a trusted layer may give to a granted authority: it adds them to its record.
-- @param statements of an added layer
-- @return set of things, as M.measure names them
function M.given_by(statements, trust)
  local out = {}
  for _, s in ipairs(trust ~= 'project' and statements or {}) do
    for _, where in ipairs(s[1] == 'authority.add' and s[3].sockets or {}) do
      out['socket ' .. where] = true
    end
  end
  return out
end

--- How much a resolved policy leaves of every thing of the universe: 0 is the most refused.
-- @return map thing -> number
function M.measure(resolved, door)
  local out = {}
  local function note(thing, answer) out[thing] = LEFT[answer.verdict] end
  for _, where in ipairs(M.SOCKETS) do
    local look = door.look({ looks = {} }, { where }).looks[where][1]
    note('socket ' .. where, verdict.socket(resolved, where, look.type == 'socket' and look))
  end
  for _, name in ipairs(M.ABSTRACT) do
    local answer = verdict.abstract(resolved, name)
    note('@' .. name, answer)
    -- Reachable or not decides the network; who must be granted for it is the policy's.
    out['@' .. name .. ' by name'] = answer.reason == 'refused by name' and 0 or 1
  end
  for _, where in ipairs(M.FILES) do note('file ' .. where, verdict.file(resolved, where)) end
  for _, name in ipairs(M.VARIABLES) do note('env ' .. name, verdict.env(resolved, name)) end
  return out
end

return M
