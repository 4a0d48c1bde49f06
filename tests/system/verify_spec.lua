--- The self-check: `verify` proves what it says on this host, says OPEN where a guard is missing,
--- leaves nothing behind, and shows a page; `explain --prove` shows both sides of one thing.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local json = require 'confine.values.json'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local signal = require 'posix.signal'

local me = rig.me
local SWITCHED = rig.tree .. '/build/switched/confine-lua'
local BATTERY_SECONDS = 20

--- Runs verify and reads its JSON.
-- @param words more words of the command line
-- @param options { program, env, wrap }
-- @return { code, err, done = the JSON, by_name = map name -> result }
local function verify(words, options)
  options = options or {}
  local argv = { options.program or rig.program, 'verify', '--json', table.unpack(words) }
  local run = process.run {
    argv = table.move(place.argv_as(me, argv), 1, 64, #(options.wrap or {}) + 1,
      { table.unpack(options.wrap or {}) }),
    env = place.environment(me, options.env), cwd = rig.work, timeout = 120,
  }
  local out = { code = run.code, err = run.err, done = json.decode(run.out), by_name = {} }
  for _, result in ipairs(out.done and out.done.results or {}) do
    out.by_name[result.name] = result
  end
  return out
end

--- The names of the results with one of these statuses, sorted, each with its reason.
local function names_with(run, ...)
  local wanted, out = {}, {}
  for _, status in ipairs { ... } do wanted[status] = true end
  local results = run.done and run.done.results or { { name = run.err, status = 'open' } }
  for _, result in ipairs(results) do
    if wanted[result.status] then
      out[#out + 1] = ('%s %s'):format(result.name, result.why or result.status)
    end
  end
  table.sort(out)
  return out
end

local function count(run, ...)
  return #names_with(run, ...)
end

--- What a proof might leave: its place, its sockets, its processes, its objects.
local function leftovers()
  local line = ("ls -a %s /var/tmp /tmp | grep confine-verify; grep -a confine-verify " ..
    "/proc/net/unix; pgrep -f 'confine-[p]robe|confine-lua [v]erify'; " ..
    "ls /dev/shm | grep confine; " ..
    "awk 'NR > 1' /proc/sysvipc/shm /proc/sysvipc/sem /proc/sysvipc/msg"):format(me.home)
  return process.run({ argv = { 'sh', '-c', line } }).out
end

describe('verify, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)
  after_each(rig.stop_all)

  it('proves the table on a bare machine, in time, and leaves nothing', function()
    local before = leftovers()
    local run = verify {}
    assert.are.same({}, names_with(run, 'open', 'broken', 'differs'))
    assert.are.equal(0, run.code, run.err)
    assert.are.equal('', run.err)
    assert.is_true(count(run, 'refused') > 120 and count(run, 'works') >= 20)
    assert.is_true(count(run, 'unproved') < 12, table.concat(names_with(run, 'unproved'), '\n'))
    assert.is_true(run.done.seconds < BATTERY_SECONDS, ('%.1f s'):format(run.done.seconds))
    for _, result in ipairs(run.done.results) do
      assert.is_true(#result.tries > 0 or result.why ~= nil, result.name)
    end
    assert.are.equal(before, leftovers())
  end)

  it('calls granted what a policy opens, and nothing broken by it', function()
    local before, policy = leftovers(), me.home .. '/open.lua'
    place.file(policy, "tty 'inherit'\nfile.write '.git/hooks'\n", me, 420)
    local run = verify { '-p', policy, '--write', '/tmp' }
    assert.are.same({}, names_with(run, 'open', 'broken', 'differs'))
    assert.are.equal(0, run.code, run.err)
    for _, name in ipairs { 'controlling', 'git-files', 'temporary' } do
      assert.are.same({ name, 'granted' }, { name, run.by_name[name].status })
    end
    assert.are.equal(before, leftovers())
    os.remove(policy)
  end)

  it('says why for what cannot be proved', function()
    local run = verify { '--only', 'of_root', '--only', 'console' }
    if me.as == 'user' then
      assert.are.equal('outside: open', run.by_name.shadow.why)
    else
      assert.are.equal('refused', run.by_name.shadow.status)
    end
    assert.are.equal('outside: TIOCLINUX: no such terminal', run.by_name.console.why)
    assert.are.equal(0, run.code)
  end)

  it("uses the host's real sockets", function()
    local agent = rig.start('ssh_agent', { path = me.home .. '/odd-keys.sock' })
    local bus = rig.start 'session_bus'
    local other = rig.start('listener', { path = me.home .. '/other.sock' })
    local run = verify({ '--only', 'listed', '--only', 'off_list' }, { env = agent.exports })
    assert.are.same({}, names_with(run, 'open', 'broken', 'differs'))
    for _, daemon in ipairs { agent, bus } do
      local result = run.by_name['host-' .. daemon.sockets[1]]
      assert.are.equal('refused', result and result.status)
      assert.are.equal('reached', result.tries[1].outside.result)
      assert.are.equal('ECONNREFUSED', result.tries[1].inside.errno)
      assert.are.equal('refused', result.tries[1].answer.verdict)
    end
    local found
    for _, try in ipairs(run.by_name['host-off-list'].tries) do
      found = found or try.attempt[2] == other.sockets[1] and try.status
    end
    assert.are.equal('works', found)
  end)

  it('holds with a masked /proc', function()
    local run = verify({}, { wrap = { rig.masked_proc } })
    assert.are.same({}, names_with(run, 'open', 'broken', 'differs'))
    assert.are.equal(0, run.code, run.err)
    assert.are.equal('covered', run.done.bounds.proc)
    assert.are.equal('refused', run.by_name.cmdline.status)
  end)

  it('tells what a policy grants', function()
    local run = verify { '--net', 'host', '--only', 'loopback', '--only', 'abstract-stream' }
    assert.are.equal('granted', run.by_name.loopback.status)
    assert.are.equal('--net host', run.by_name.loopback.tries[1].opened)
    assert.are.equal('refused', run.by_name['abstract-stream'].status)
    assert.are.equal(0, run.code)
  end)

  it('holds under each profile', function()
    for _, profile in ipairs { 'strict', 'agent' } do
      local run = verify { '-p', profile, '--only', 'files', '--only', 'listed',
        '--only', 'off_list', '--only', 'process' }
      assert.are.same({}, names_with(run, 'open', 'broken', 'differs'))
      assert.are.equal(0, run.code, run.err)
    end
  end)

  it('takes only names that are there', function()
    local run = rig.run { rig.program, 'verify', '--only', 'nonesuch' }
    assert.are.same({ 2, '' }, { run.code, run.out })
    assert.are.equal('confine-lua: no probe is named nonesuch\n' ..
      '    confine-lua verify --help names them\n', run.err)
  end)

  it('says what is wrong with a policy, and starts nothing', function()
    local path = rig.policy('fault', "file.hyde '/srv/x'\n")
    local run = verify { '-p', path }
    assert.are.equal(125, run.code)
    assert.is_true(run.err:find('fault.lua:1', 1, true) ~= nil, run.err)
  end)

  it('prints a table without colour in a pipe', function()
    local run = rig.run({ rig.program, 'verify', '--only', 'keyring', '--only', 'x32' })
    assert.are.equal(0, run.code, run.err)
    assert.are.equal('Environment, processes, kernel\n  kernel keyrings\n' ..
      '    refused      a key of the session keyring; a key of the user keyring\n',
      run.out:match 'Environment.-keyring\n')
    assert.is_nil(run.out:find '\27')
    assert.is_not_nil(run.out:find('0 OPEN; [%d.]+ s\n$'), run.out)
  end)

  it('leaves nothing behind when it is killed', function()
    local before = leftovers()
    for _, milliseconds in ipairs { 100, 500, 1500 } do
      local run = process.start { argv = place.argv_as(me, { rig.program, 'verify' }),
        env = place.environment(me), cwd = rig.work }
      process.poll(milliseconds / 1000, function() return not process.is_running(run) end)
      signal.kill(run.pid, signal.SIGKILL)
      local clean = process.poll(20, function() return leftovers() == before end)
      process.finish(run, 1)
      assert.is_true(clean, leftovers())
    end
  end)
end)

-- What must say OPEN (or BROKEN) when these guards are off, by the rows that are looked at. Some
-- things are refused by two guards, each of which would do.
local GUARDS = {
  { 'seccomp', { 'detour', 'family', 'keyring', 'userns' },
    { 'io-uring-off-list', 'userns', 'user-key' } },
  { 'session_keyring,seccomp', { 'keyring' }, { 'session-key', 'user-key' } },
  { 'landlock', { 'abstract' }, { 'abstract-stream', 'abstract-datagram', 'abstract-late' },
    flags = { '--net', 'host' } },
  { 'stdin', { 'stdin' }, { 'reopened', 'stdin-folder' } },
  { 'descriptors', { 'descriptor' }, { 'inherited-socket', 'inherited-folder', 'inherited-any' } },
  { 'shadows', { 'sockets' }, { 'listed-folder', 'restart', 'late', 'folder-again',
    'symbolic-link', 'hard-link', 'by-variable', 'by-owner', 'datagram', 'authority-docker' } },
  { 'shadows', { 'credential', 'rewritten', 'many' }, { 'credential-ssh',
    'linked-credential', 'rewritten', 'rewriting', 'many' } },
  { 'protect', { 'protected', 'git-files', 'git-renamed', 'git-rewritten', 'git-inner',
    'git-below', 'git-absent' }, { 'present', 'absent', 'protected-rewritten', 'git-files',
    'git-renamed', 'git-rewritten', 'git-inner', 'git-below', 'git-absent' } },
  { 'private', { 'private' }, { 'tool-caches' } },
  { 'network', { 'abstract', 'family' }, { 'abstract-stream', 'loopback' } },
  { 'ipc', { 'ipc' }, { 'sysv', 'posix-queue' } },
  { 'processes', { 'outside_proc', 'process' }, { 'cmdline', 'signal', 'pidfd' } },
  { 'session', { 'terminal' }, { 'controlling' } },
  { 'capabilities,seccomp', { 'capability' }, { 'umount', 'mount' },
    root = true },
  { 'environment', { 'environment' }, { 'variable', 'environ' } },
  { 'proc', { 'setting' }, { 'core-pattern', 'settings' }, root = true },
}

describe('without a guard (a test build), as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)

  for _, row in ipairs(GUARDS) do
    local off, rows, wanted = row[1], row[2], row[3]
    it(('%s off: %s say OPEN, and on again refused'):format(off, table.concat(rows, ', ')),
      function()
        if row.root and me.as ~= 'root' then return end
        local words = { table.unpack(row.flags or {}) }
        for _, name in ipairs(rows) do table.move({ '--only', name }, 1, 2, #words + 1, words) end
        local without = verify(words, { program = SWITCHED, env = { CONFINE_TEST_WITHOUT = off } })
        local failed = {}
        for _, name in ipairs(wanted) do
          local status = without.by_name[name] and without.by_name[name].status or without.err
          if status ~= 'open' and status ~= 'broken' then
            failed[#failed + 1] = name .. ': ' .. status
          end
        end
        assert.are.same({}, failed)
        assert.are.equal(1, without.code)
        local with = verify(words, { program = SWITCHED })
        assert.are.same({}, names_with(with, 'open', 'broken', 'differs'))
        assert.are.equal(0, with.code, with.err)
      end)
  end

  it('an ordinary build does not listen to the switch', function()
    local run = verify({ '--only', 'keyring' }, { env = { CONFINE_TEST_WITHOUT = 'seccomp' } })
    assert.are.same({}, names_with(run, 'open', 'broken', 'differs'))
  end)
end)

describe('explain --prove, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)
  after_each(rig.stop_all)

  local function prove(things, options)
    options = options or {}
    return rig.run({ options.program or rig.program, 'explain', '--prove', table.unpack(things) },
      { env = options.env })
  end

  it('attempts a socket, a file and a variable outside and inside', function()
    local agent = rig.start('ssh_agent', { path = me.home .. '/proved.sock' })
    local path = place.file(rig.work .. '/page', 'x', me)
    local run = prove({ agent.sockets[1], path, 'env:SHELL' }, { env = agent.exports })
    assert.are.equal(0, run.code, run.out .. run.err)
    assert.is_not_nil(run.out:find('  tried    agent ' .. agent.sockets[1] .. ': as explained\n' ..
      '           outside  reached (the agent listed its keys)\n' ..
      '           inside   refused ECONNREFUSED (connect)', 1, true), run.out)
    assert.is_not_nil(run.out:find('  tried    write ' .. path .. ': as explained\n' ..
      '           outside  reached (opened for writing)\n' ..
      '           inside   reached (opened for writing)', 1, true), run.out)
    assert.is_not_nil(run.out:find('inside   refused (the variable is not set)', 1, true), run.out)
  end)

  it('exits 1 when the attempt is not as explained', function()
    local agent = rig.start('ssh_agent', { path = me.home .. '/proved.sock' })
    local env = { CONFINE_TEST_WITHOUT = 'shadows' }
    for name, value in pairs(agent.exports) do env[name] = value end
    local run = prove({ 'authority:ssh_agent' }, { program = SWITCHED, env = env })
    assert.are.equal(1, run.code, run.out .. run.err)
    assert.is_not_nil(run.out:find('OPEN: it must be refused', 1, true), run.out)
  end)

  it('needs a thing', function()
    local run = prove {}
    assert.are.same({ 2, '' }, { run.code, run.out })
  end)
end)
