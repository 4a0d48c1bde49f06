--- The doctor's records over made-up facts: each judges as its examples say, each remedy is exact
-- or has its source, and the remedy shown is the one for the place.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local doctor = require 'confine.doctor'
local place = require 'confine.doctor.place'
local remedies = require 'confine.doctor.remedies'
local views = require 'confine.views.doctor'

local STATUSES = { ok = true, spare = true, unknown = true, weaker = true, missing = true }
local PLACES = { docker = true, podman = true, kubernetes = true, lxc = true, nspawn = true,
  bwrap = true, debian = true, ubuntu = true, fedora = true, rhel = true, arch = true,
  alpine = true, suse = true, nixos = true }

local function names()
  local out = {}
  for _, section in ipairs(doctor.SECTIONS) do
    for _, name in ipairs(section.names) do out[#out + 1] = name end
  end
  return out
end

--- The facts of a host that has everything.
local function whole()
  local yes = { available = true }
  return { uid = 1000, kernel = { release = '6.18.1', machine = 'x86_64', landlock = 7 },
    program = '/usr/bin/confine-lua', problems = {}, needs = { '--args' },
    bwrap = { path = '/usr/bin/bwrap', version = '0.11.0', options = { ['--args'] = true } },
    procfs = { mountable = true }, userns = true, stage = true,
    overlay = { shadow = true, layer = true },
    guards = { session_keyring = yes, rlimits = yes, core_dumps = yes, landlock_scopes = yes,
      seccomp = yes, seccomp_listener = yes, cgroup = yes },
    exposed = { io_uring = true, keyrings = true, vsock = true, tiocsti = true },
    settings = { ['kernel.yama.ptrace_scope'] = '1' }, filters = 0, masks = {},
    cache = { path = '/run/user/1000/confine-lua' },
    records = { path = '/home/ada/.local/state/confine-lua/placeholders' },
    place = { name = 'Debian GNU/Linux 13 (trixie)', distribution = 'debian', like = {} },
    trial = { started = true, bounds = { weaker = {} } } }
end

--- The findings of a report that are not ok, as `name status`.
local function faults(report)
  local out = {}
  for _, section in ipairs(report.sections) do
    for _, finding in ipairs(section.findings) do
      if finding.status ~= 'ok' then out[#out + 1] = finding.name .. ' ' .. finding.status end
    end
  end
  return out
end

local function finding_of(report, name)
  for _, section in ipairs(report.sections) do
    for _, finding in ipairs(section.findings) do
      if finding.name == name then return finding end
    end
  end
end

local function is_sentence(text)
  return type(text) == 'string' and #text > 12 and not text:find('[\r\n]')
    and not text:find('%.$')
end

describe('the doctor\'s records', function()
  it('are all in one section, and each file is told', function()
    local listed = {}
    for _, name in ipairs(names()) do
      assert.is_nil(listed[name], name)
      listed[name] = true
    end
    local pipe = assert(io.popen("LC_ALL=C ls lua/confine/doctor"))
    for file in pipe:lines() do
      local name = file:match('^(.*)%.lua$')
      if name and name ~= 'init' and name ~= 'place' and name ~= 'remedies' then
        assert.is_true(listed[name] == true, name .. ' is in no section')
        assert.are.equal(name, doctor.record(name).name)
      end
    end
    pipe:close()
  end)

  for _, name in ipairs(names()) do
    local record = doctor.record(name)

    it('says in sentences what it guards, how it is proved and what is without it: ' .. name,
      function()
        for _, field in ipairs { 'guards', 'proof', 'missing' } do
          assert.is_true(is_sentence(record[field]), ('%s: %s'):format(field, record[field]))
        end
      end)

    it('judges as its examples say: ' .. name, function()
      assert.is_true(#record.examples > 0)
      for i, example in ipairs(record.examples) do
        local status, says, cause = record.judge(example.seen)
        assert.are.same({ i, example.status, example.cause }, { i, status, cause })
        assert.is_true(says:find(example.says, 1, true) ~= nil,
          ('example %d says `%s`'):format(i, says))
        assert.is_true(STATUSES[status] == true, status)
      end
    end)

    it('has remedies that are exact, and tried or with their source: ' .. name, function()
      for i, remedy in ipairs(record.remedies) do
        local where = ('%s, remedy %d'):format(name, i)
        if remedy.see then
          assert.is_true(pcall(doctor.record, remedy.see), where)
        else
          assert.is_true(is_sentence(remedy.does), where .. ': ' .. tostring(remedy.does))
          assert.is_true((remedy.tried == nil) ~= (remedy.source == nil),
            where .. ' is either tried or has a source')
          assert.is_true(not remedy.source or remedy.source:find('^https://') ~= nil
            or remedy.source:find('^README') ~= nil, where)
        end
        for _, at in ipairs(remedy.where or {}) do assert.is_true(PLACES[at] == true, at) end
        if remedy.file then
          assert.are.same({ 'string', 'string' },
            { type(remedy.file.path), type(remedy.file.text) })
        end
      end
    end)

    it('has a remedy for each cause that its examples know, wherever this is: ' .. name, function()
      for i, example in ipairs(record.examples) do
        if example.status == 'weaker' or example.status == 'missing' then
          for at in pairs(PLACES) do
            local seen = { place = { distribution = at, like = {} } }
            local chosen = remedies.choose(record.remedies, example.cause, seen)
            assert.is_true(#chosen > 0, ('example %d on %s'):format(i, at))
          end
        end
      end
    end)
  end
end)

describe('the doctor', function()
  it('finds nothing where everything is there', function()
    local report = doctor.report(whole())
    assert.are.same({ 'full', {} }, { report.verdict, faults(report) })
  end)

  it('judges the same facts alike, and changes none', function()
    local seen = whole()
    local first, second = doctor.report(seen), doctor.report(seen)
    assert.are.same(first, second)
    assert.are.same(whole(), seen)
  end)

  it('tells a masked /proc, and the option of each engine', function()
    local seen = whole()
    seen.procfs = { mountable = false, reason = "bwrap: Can't mount proc" }
    seen.masks = { '/proc/acpi' }
    seen.trial.bounds.weaker = { { name = 'later_cmdlines' } }
    for engine, option in pairs { docker = '--security-opt systempaths=unconfined',
      podman = '--security-opt unmask=ALL' } do
      seen.place.container = engine
      local report = doctor.report(seen)
      assert.are.same({ 'weaker', { 'launch weaker', 'procfs weaker' } },
        { report.verdict, faults(report) })
      local remedy = finding_of(report, 'procfs').remedies[1]
      assert.are.equal(engine, remedy.at)
      assert.is_true(remedy.commands[1]:find(option, 1, true) ~= nil, remedy.commands[1])
    end
    seen.place.container = 'kubernetes'
    local file = finding_of(doctor.report(seen), 'procfs').remedies[1].file
    assert.is_true(file.text:find('procMount: Unmasked', 1, true) ~= nil, file.text)
    assert.is_true(file.text:find('hostUsers: false', 1, true) ~= nil, file.text)
  end)

  it('tells the package manager of each distribution', function()
    local seen = whole()
    seen.bwrap, seen.procfs, seen.needs = nil, nil, nil
    seen.problems.bwrap = { kind = 'no_bwrap', message = 'bwrap is not in PATH' }
    seen.trial = { started = false, kind = 'no_bwrap', message = 'bwrap is not in PATH' }
    for id, word in pairs { debian = 'apt-get', ubuntu = 'apt-get', fedora = 'dnf', arch = 'pacman',
      alpine = 'apk', suse = 'zypper' } do
      seen.place.distribution = id
      local report = doctor.report(seen)
      assert.are.same({ 'refused', { 'bubblewrap missing', 'sandbox unknown', 'launch missing',
        'procfs unknown' } }, { report.verdict, faults(report) })
      local remedy = finding_of(report, 'bubblewrap').remedies[1]
      assert.are.equal(word, remedy.commands[1]:match('^%S+'))
    end
  end)

  it('tells Ubuntu\'s restriction, and the profile for this very program', function()
    local seen = whole()
    seen.settings['kernel.apparmor_restrict_unprivileged_userns'] = '1'
    seen.place = { name = 'Ubuntu 24.04', distribution = 'ubuntu', like = { 'debian' } }
    seen.userns = { unknown = 'write /proc/self/uid_map: Permission denied' }
    seen.stage = { unknown = 'write /proc/self/uid_map: Permission denied' }
    seen.trial.bounds.weaker = { { name = 'no_stage' } }
    local report = doctor.report(seen)
    assert.are.same({ 'weaker', { 'user_namespaces weaker', 'launch weaker', 'stage weaker',
      'overlay unknown', 'apparmor weaker' } }, { report.verdict, faults(report) })
    assert.are.same({ { cause = { 'apparmor' }, see = 'apparmor' } },
      finding_of(report, 'user_namespaces').remedies)
    local remedy = finding_of(report, 'apparmor').remedies[1]
    assert.is_true(remedy.file.text:find('profile confine-lua /usr/bin/confine-lua flags', 1, true)
      ~= nil, remedy.file.text)
  end)

  it('blames a /proc that is not there for nothing but itself', function()
    local seen = whole()
    seen.problems = { proc = { kind = 'no_proc', message = 'there is no /proc here' },
      bwrap = { kind = 'untrusted_bwrap', message = '/ belongs to uid 65534' } }
    seen.bwrap, seen.procfs, seen.needs = nil, nil, nil
    seen.userns = { unknown = 'write /proc/self/setgroups: No such file or directory' }
    seen.guards.core_dumps = { available = false, reason = 'open /proc/sys' }
    seen.trial = { started = false, kind = 'no_proc', message = 'there is no /proc here' }
    local report = doctor.report(seen)
    local missing = {}
    for _, fault in ipairs(faults(report)) do
      if fault:find ' missing$' then missing[#missing + 1] = fault end
    end
    assert.are.same({ 'refused', { 'proc missing', 'launch missing' } },
      { report.verdict, missing })
    assert.are.same({ { cause = { 'proc' }, see = 'proc' } },
      finding_of(report, 'launch').remedies)
  end)

  it('lets the trial decide whether a run starts', function()
    local seen = whole()
    seen.trial = { started = false, kind = 'not_started', message = 'bwrap ended with status 1',
      said = 'bwrap: no' }
    local report = doctor.report(seen)
    assert.are.same({ 'refused', { 'launch missing' } }, { report.verdict, faults(report) })
    seen.trial = { started = true, bounds = { weaker = {} } }
    seen.guards.landlock_scopes = { available = false, reason = 'ABI 0' }
    assert.are.equal('full', doctor.report(seen).verdict)
  end)
end)

describe('the place', function()
  local MOUNTS = { { path = '/etc/hosts' } }
  local DEBIAN = 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'

  local function engine(signs)
    signs.env = signs.env or {}
    return place.of(signs).container
  end

  it('is told by what an engine mounts, and not by a file that was copied with an image', function()
    assert.are.equal('docker', engine { dockerenv = true, mounts = MOUNTS })
    assert.is_nil(engine { dockerenv = true })
    assert.is_nil(engine { containerenv = '' })
    assert.are.equal('podman', engine { containerenv = '', mounts = MOUNTS })
    assert.are.equal('kubernetes', engine { dockerenv = true, mounts = MOUNTS,
      env = { KUBERNETES_SERVICE_HOST = '10.0.0.1' } })
    assert.is_nil(engine { env = { KUBERNETES_SERVICE_HOST = '10.0.0.1' } })
    assert.are.equal('kubernetes', engine { service_account = true })
    assert.are.equal('bwrap', engine { first = 'bwrap', dockerenv = true, mounts = MOUNTS })
    assert.are.equal('lxc', engine { lxd = '/dev/lxd' })
    assert.are.equal('nspawn', engine { manager = 'systemd-nspawn' })
    assert.is_nil(engine { first = 'systemd' })
  end)

  it('has the distribution of os-release, by the ids that remedies know', function()
    local here = place.of { os_release = DEBIAN, env = {} }
    assert.are.same({ 'debian', {}, 'Debian GNU/Linux 12 (bookworm)' },
      { here.distribution, here.like, here.name })
    local rocky = place.of { env = {}, os_release = 'ID="rocky"\nID_LIKE="rhel centos fedora"\n' }
    assert.are.same({ 'rhel', { 'rhel', 'rhel', 'fedora' } }, { rocky.distribution, rocky.like })
    local leap = place.of { env = {}, os_release = "ID='opensuse-leap'\nID_LIKE='suse opensuse'" }
    assert.are.equal('suse', leap.distribution)
    assert.are.equal('unknown', place.of({ env = {} }).distribution)
  end)

  it('counts the ids of a user namespace', function()
    assert.are.equal(1, place.of({ env = {}, uid_map = '  1000  0  1\n' }).mapped)
    assert.is_nil(place.of({ env = {}, uid_map = '  0  0 4294967295\n' }).mapped)
  end)
end)

describe('remedies', function()
  local ALL = {
    { where = { 'docker' }, cause = { 'a' }, does = 'docker' },
    { where = { 'debian' }, does = 'debian, {bwrap}' },
    { where = { 'fedora' }, does = 'fedora' }, { does = 'all' },
  }

  local function chosen(cause, here)
    local out = {}
    local fitting = remedies.choose(ALL, cause, { place = here })
    for i, remedy in ipairs(fitting) do out[i] = remedy.does end
    return out
  end

  it('are those of the container, else of the distribution or its kin, else the general', function()
    local debian = { distribution = 'debian', like = {} }
    assert.are.same({ 'docker' }, chosen('a', { container = 'docker', distribution = 'debian' }))
    assert.are.same({ 'debian, /usr/bin/bwrap' },
      chosen('b', { container = 'docker', distribution = 'debian' }))
    assert.are.same({ 'debian, /usr/bin/bwrap' }, chosen('a', debian))
    assert.are.same({ 'fedora' }, chosen('a', { distribution = 'nobara', like = { 'fedora' } }))
    assert.are.same({ 'all' }, chosen('a', { distribution = 'unknown', like = {} }))
  end)
end)

describe('the report as text', function()
  local seen = whole()
  seen.stage = { unknown = 'fsopen tmpfs: Function not implemented' }
  seen.trial.bounds.weaker = { { name = 'no_stage' } }
  local report = doctor.report(seen)

  it('is plain words where symbols and colour are not to be had', function()
    local shown = views.text(report, { width = 96 })
    assert.is_nil(shown:find('[\27\128-\255]'))
    assert.is_true(shown:find('  ok      proc ', 1, true) ~= nil, shown)
    assert.is_true(shown:find('  WEAKER  stage             fsopen tmpfs: Function not', 1, true)
      ~= nil, shown)
    assert.is_true(shown:find('with weaker guards: launch, stage.', 1, true) ~= nil, shown)
  end)

  it('has one symbol a line on a terminal, and colours that end', function()
    local shown = views.text(report, { width = 96, symbols = true, colour = true })
    assert.is_true(shown:find('  \27[33m!\27[0m stage', 1, true) ~= nil, shown)
    assert.is_true(shown:find('  \27[32m✓\27[0m proc', 1, true) ~= nil, shown)
    local _, begun = shown:gsub('\27%[%d+m', '')
    local _, ended = shown:gsub('\27%[0m', '')
    assert.are.equal(begun, ended * 2)
  end)

  it('keeps to the width, but for what is to be copied whole', function()
    for line in views.text(report, { width = 80 }):gmatch('[^\n]+') do
      assert.is_true(#line <= 80 or line:find('^ +%$ ') ~= nil or line:find('https://') ~= nil,
        line)
    end
  end)
end)
