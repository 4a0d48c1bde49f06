--- The differential test: under random policies, what `explain` says of each thing is what an
--- attempt inside finds. CONFINE_SEED and CONFINE_DIFFERENTIAL_CASES choose the policies.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local glob = require 'confine.values.glob'
local json = require 'confine.values.json'
local judge = require 'confine.battery.judge'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local series = require 'confine.doors.series'
local unistd = require 'posix.unistd'

local me = rig.me
local IS_LONG = os.getenv 'CONFINE_LONG' == '1'
local CASES = tonumber(os.getenv 'CONFINE_DIFFERENTIAL_CASES') or IS_LONG and 1000 or 200
local SEED = tonumber(os.getenv 'CONFINE_SEED') or os.time()
local MOST_TOLD = tonumber(os.getenv 'CONFINE_DIFFERENTIAL_TOLD') or 3

local HOME, WORK, ROOT_OWNED = me.home, rig.work, '/srv/universe'

--- Files that are there; folders are made for them.
local FILES = {
  HOME .. '/d/a.txt', HOME .. '/d/b.md', HOME .. '/d/c/x.txt', HOME .. '/d/c/deep/z',
  HOME .. '/e/f', HOME .. '/.ssh/id', HOME .. '/.ssh/known_hosts', HOME .. '/.netrc',
  HOME .. '/.aws/credentials', HOME .. '/.cache/tool/x', WORK .. '/page', WORK .. '/sub/x',
  WORK .. '/.envrc', WORK .. '/.git/config', WORK .. '/.git/HEAD', WORK .. '/.git/hooks/sample',
  ROOT_OWNED .. '/f', ROOT_OWNED .. '/g/h',
}
local FOLDERS = { HOME .. '/d', HOME .. '/d/c', HOME .. '/e', HOME .. '/.ssh', WORK, WORK .. '/sub',
  WORK .. '/.git/hooks', HOME .. '/.cache/tool', '/tmp', ROOT_OWNED }
local SOCKETS = { HOME .. '/d/s1.sock', HOME .. '/e/s2.sock', HOME .. '/.docker/run/docker.sock',
  me.runtime .. '/bus', me.runtime .. '/other.sock', ROOT_OWNED .. '/s3.sock', WORK .. '/own.sock',
  HOME .. '/.cache/tool/s4.sock', '@rig-one', '@rig-two' }
local ALIASES = { HOME .. '/d/link.sock', HOME .. '/d/hard.sock', HOME .. '/e/hard.sock',
  WORK .. '/sub/hard.sock' }
--- Further names of a file.
local LINKED = { HOME .. '/e/a.txt', WORK .. '/sub/a.txt' }
local VARIABLES = { 'DOCKER_HOST', 'TERM', 'EDITOR', 'AWS_KEY', 'HOME' }
local ENV = { DOCKER_HOST = 'unix://' .. HOME .. '/e/s2.sock', TERM = 'dumb', EDITOR = 'ed',
  AWS_KEY = 'k' }

--- The same things as policies write them.
local SAID_FILES = { '~/d', '~/d/a.txt', '~/d/c', '~/d/c/x.txt', '~/d/c/deep', '~/e', '~/.ssh',
  '~/.ssh/known_hosts', '~/.netrc', '~/.aws/credentials', '~/.cache', '~/.cache/tool', 'page',
  '~/e/a.txt', 'sub/a.txt',
  'sub', 'sub/x', '.envrc', '.git/config', '.git/hooks', ROOT_OWNED, ROOT_OWNED .. '/g', '~/absent',
  '~/d/absent/below', 'absent', '~', '~/d/s1.sock', '~/d/hard.sock', '~/e/s2.sock' }
local SAID_GLOBS = { '~/d/*.txt', '~/d/*', '~/d/c/*', '~/*/f', 'su[b]', ROOT_OWNED .. '/?',
  '~/.ss?' }
local SAID_SOCKETS = { '~/d/s1.sock', '~/e/s2.sock', '~/d/link.sock', '~/d/hard.sock',
  '~/.docker/run/docker.sock', '$XDG_RUNTIME_DIR/bus', '$XDG_RUNTIME_DIR/other.sock',
  ROOT_OWNED .. '/s3.sock', '@rig-one', 'own.sock', '~/.cache/tool/s4.sock' }
local SAID_SOCKET_GLOBS = { '~/d/*.sock', '$XDG_RUNTIME_DIR/*', '@rig-*', '~/*/s?.sock' }

local function pick(list) return list[math.random(#list)] end
local function either(a, b) return math.random() < 0.75 and pick(a) or pick(b) end

--- Is it below what is hidden, or one of those that a glob hides?
local function may_be_excepted(name, thing)
  local at = glob.is_glob(thing) and name or name:match '^(.*)/'
  while at do
    if glob.match(thing, at) then return true end
    at = at:match '^(.*)/'
  end
  return false
end

--- An exception from what is hidden; empty where the policies name nothing there.
local function exception(thing)
  local names = {}
  for _, name in ipairs(SAID_FILES) do
    if may_be_excepted(name, thing) then names[#names + 1] = name end
  end
  return #names > 0 and math.random() < 0.5 and (", except = '%s'"):format(pick(names)) or ''
end

local REFUSING = {
  function()
    local thing = either(SAID_FILES, SAID_GLOBS)
    return ("file.hide { '%s'%s }"):format(thing, exception(thing))
  end,
  function()
    local thing = either(SAID_FILES, SAID_GLOBS)
    return ("file.protect { '%s'%s }"):format(thing, exception(thing))
  end,
  function() return ("socket.refuse '%s'"):format(either(SAID_SOCKETS, SAID_SOCKET_GLOBS)) end,
  function() return ("authority.refuse '%s'"):format(pick { 'docker', 'session_bus' }) end,
  function()
    return ("authority.add('%s', { sockets = { '%s' } })"):format(pick { 'docker', 'house' },
      either(SAID_SOCKETS, SAID_SOCKET_GLOBS))
  end,
  function() return ("env.refuse '%s'"):format(pick { 'TERM', 'AWS_*', 'EDITOR' }) end,
}
local GRANTING = {
  function() return ("file.read '%s'"):format(pick(SAID_FILES)) end,
  function() return ("file.write '%s'"):format(pick(SAID_FILES)) end,
  function()
    return ("file.private { '%s'%s }"):format(pick(SAID_FILES),
      math.random() < 0.3 and ', empty = true' or '')
  end,
  function() return ("socket.grant '%s'"):format(pick(SAID_SOCKETS)) end,
  function() return ("authority.grant '%s'"):format(pick { 'docker', 'session_bus' }) end,
  function() return ("env.allow '%s'"):format(pick(VARIABLES)) end,
  function() return ("env.set('%s', 'x')"):format(pick { 'EDITOR', 'NEW' }) end,
  function() return pick { "net 'host'", "socket.default 'refused'", "net 'none'" } end,
}

local function statements(makers, most)
  local lines = {}
  for i = 1, math.random(0, most) do lines[i] = pick(makers)() end
  return lines
end

--- A random policy: lines, each with the file that it stands in: 1, 2 or 'project'.
local function random_policy()
  local out = {}
  local function add(file, lines)
    for _, line in ipairs(lines) do out[#out + 1] = { file = file, text = line } end
  end
  add(1, { ("include '%s'"):format(pick { 'default', 'default', 'default', 'agent', 'strict' }) })
  for file = 1, math.random(1, 2) do
    add(file, statements(REFUSING, 3))
    add(file, statements(GRANTING, 3))
  end
  if math.random() < 0.3 then add('project', statements(REFUSING, 2)) end
  return out
end

--- The text of one file of a policy.
local function text_of(policy, file)
  local lines = {}
  for _, line in ipairs(policy) do
    if line.file == file then lines[#lines + 1] = line.text .. '\n' end
  end
  return table.concat(lines)
end

--- Every attempt that is made: what explain is asked, and the words for confine-probe.
local function attempts()
  local out = {}
  local function add(thing, ...) out[#out + 1] = { thing = thing, attempt = { ... } } end
  for _, list in ipairs { FILES, LINKED } do
    for _, path in ipairs(list) do
      add('file:' .. path, 'read', path)
      add('file:' .. path, 'write', path)
    end
  end
  for _, path in ipairs(FOLDERS) do
    add('file:' .. path .. '/.made', 'create', path .. '/.made')
  end
  for _, list in ipairs { SOCKETS, ALIASES } do
    for _, name in ipairs(list) do
      add(name:sub(1, 1) == '@' and name or 'unix://' .. name, 'connect', name)
    end
  end
  for _, name in ipairs(VARIABLES) do add('env:' .. name, 'variable', name) end
  return out
end

--- Sets the universe up: files, and one process that listens on all sockets.
local function set_up()
  rig.fresh_work()
  for _, path in ipairs(FILES) do
    local owner = path:sub(1, #ROOT_OWNED) ~= ROOT_OWNED and me or nil
    place.folder(path:match '^(.*)/', owner)
    place.file(path, 'text of ' .. path .. '\n', owner)
  end
  local orders = {}
  for _, name in ipairs(SOCKETS) do
    if name:sub(1, 1) == '/' then place.folder(name:match '^(.*)/', me) end
    orders[#orders + 1] = 'listen\0connect\0stream\0' .. name .. '\0\0'
  end
  local pipe = place.folder('/srv/orders') .. '/pipe'
  assert(process.run({ argv = { 'mkfifo', '-m', '666', pipe } }).code == 0)
  local server = process.start { cwd = '/', env = place.environment(me),
    argv = place.argv_as(me, { 'sh', '-c', 'exec "$0" targets universe < ' .. pipe, rig.probe }) }
  local pen = assert(io.open(pipe, 'w'))
  pen:write(table.concat(orders))
  pen:flush()
  assert(process.poll(10, function() return place.exists(HOME .. '/.cache/tool/s4.sock') end))
  rig.symlink(HOME .. '/d/s1.sock', HOME .. '/d/link.sock')
  for i = 2, #ALIASES do assert(unistd.link(HOME .. '/d/s1.sock', ALIASES[i], false)) end
  for _, name in ipairs(LINKED) do assert(unistd.link(HOME .. '/d/a.txt', name, false)) end
  return server, pen
end

describe('what explain says is what is so, as ' .. me.as .. ':', function()
  local server, pen
  setup(function() server, pen = set_up() end)
  teardown(function()
    pen:close()
    process.stop(server)
    rig.remove(ROOT_OWNED)
    rig.remove '/srv/orders'
  end)

  --- What of the attempts is possible outside: the others say nothing about a policy.
  local function possible()
    local out, orders = {}, {}
    for i, item in ipairs(attempts()) do
      orders[i] = { key = tostring(i), attempt = item.attempt }
    end
    local list = place.file('/srv/orders/outside', series.text(orders))
    local found = series.findings(rig.run({ rig.probe, 'series', list, '-' }, { env = ENV }).out)
    for i, item in ipairs(attempts()) do
      if found[tostring(i)].result == 'reached' then out[#out + 1] = item end
    end
    return out
  end

  --- Asks and attempts under one policy.
  -- @return list of differences, or nil and the reason when this policy does not start
  local function compare(items, flags)
    local words = { rig.program, 'explain', '--json', table.unpack(flags) }
    local orders = {}
    for i, item in ipairs(items) do
      words[#words + 1] = item.thing
      orders[i] = { key = tostring(i), attempt = item.attempt }
    end
    local list = place.file('/srv/orders/inside', series.text(orders))
    local told = rig.run(words, { env = ENV })
    local run = rig.confined { flags = flags, env = ENV, timeout = 60,
      argv = { rig.probe, 'series', list, '-' } }
    if run.code == 125 or told.code == 125 then
      return nil, run.err
    end
    local answers, found, out = json.decode(told.out), series.findings(run.out), {}
    if type(answers) ~= 'table' then return { 'explain: ' .. told.err } end
    for i, item in ipairs(items) do
      local answer, finding = answers[i], found[tostring(i)]
      local claim = judge.claim(item.attempt, answer)
      local result = finding and finding.result or 'no answer: ' .. run.err
      if claim and result ~= claim then
        out[#out + 1] = ('%s: explain says %s (%s, %s), inside it is %s %s'):format(
          table.concat(item.attempt, ' '), answer.verdict, answer.reason or '', answer.from or '',
          result, finding and finding.errno or '')
      end
    end
    return out
  end

  --- The differences under a policy; see compare.
  local function differences(items, policy)
    local flags, own = {}, WORK .. '/.confine.lua'
    for file = 1, 2 do
      flags[#flags + 1] = '-p'
      flags[#flags + 1] = rig.policy('case' .. file, text_of(policy, file))
    end
    local project = text_of(policy, 'project')
    if project ~= '' then place.file(own, project, me) end
    local found, why = compare(items, flags)
    rig.remove(own)
    return found, why
  end

  --- The fewest lines of a policy under which the first difference remains.
  local function shrunk(items, policy, found)
    local item
    for _, candidate in ipairs(items) do
      if found[1]:find(table.concat(candidate.attempt, ' '), 1, true) then item = candidate end
    end
    local at = 1
    while at <= #policy do
      local less = { table.unpack(policy) }
      table.remove(less, at)
      local left = differences({ item }, less)
      if left and #left > 0 then policy, found = less, left else at = at + 1 end
    end
    return policy, found
  end

  it('for files, folders, sockets and variables under random policies', function()
    io.stdout:flush()
    io.stderr:write(('differential_spec: CONFINE_SEED=%d, %d cases\n'):format(SEED, CASES))
    math.randomseed(SEED)
    local items, wrong, started, refusals = possible(), {}, 0, {}
    assert.is_true(#items > 40, tostring(#items))
    for case = 1, CASES do
      local policy = random_policy()
      local found, why = differences(items, policy)
      if found then started = started + 1 else refusals[#refusals + 1] = why end
      if found and #found > 0 then
        policy, found = shrunk(items, policy, found)
        local lines = { ('seed %d, case %d:'):format(SEED, case) }
        for _, line in ipairs(policy) do
          lines[#lines + 1] = ('  %-8s %s'):format(line.file, line.text)
        end
        wrong[#wrong + 1] = table.concat(lines, '\n') .. '\n' .. table.concat(found, '\n')
      end
      if #wrong >= MOST_TOLD then break end
    end
    assert.are.equal('', table.concat(wrong, '\n\n'))
    assert.is_true(started > CASES // 2, ('only %d of %d started; the first that did not: %s')
      :format(started, CASES, refusals[1]))
  end)
end)
