--- The doctor in containers of real engines: the remedies that it names for them are tried, one
--- after the other, until a run starts with its full guards.
package.path = './?.lua;' .. package.path
local json = require 'confine.values.json'
local process = require 'tests.rig.process'
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

local me = rig.me
local FILTER = '/usr/share/containers/seccomp.json'
local TREE = '/srv/image'

--- A tree for a container: folders, /usr from outside, the accounts.
local function make_tree()
  local script = [[set -e
mkdir -p $0/etc $0/proc $0/dev $0/sys $0/run $0/usr $0/var $0/root $0/srv/tree $0/home/u
mkdir -p -m 1777 $0/tmp
for link in bin sbin lib lib64; do ln -sfn usr/$link $0/$link; done
cp -a /etc/passwd /etc/group $0/etc/
cp -L /etc/os-release $0/etc/
chown $1 $0/home/u]]
  local made = process.run { argv = { 'sh', '-c', script, TREE, tostring(math.tointeger(me.uid)) } }
  assert(made.code == 0, made.err)
end

--- What the doctor says in a container.
-- @param argv the engine's words up to its options
-- @param options those that a remedy names
-- @param image the words that name the image
-- @return a table name -> finding, and the verdict
local function doctor_in(argv, options, image, env)
  local full = {}
  for _, list in ipairs { argv, { '--rm', '--network=none', '--user',
    tostring(math.tointeger(me.uid)), '-v', '/usr:/usr:ro',
    '-v', rig.tree .. ':' .. rig.tree .. ':ro', '-e', 'HOME=/home/u' },
    options, image, { rig.program, 'doctor', '--json' } } do
    table.move(list, 1, #list, #full + 1, full)
  end
  local run = process.run { argv = full, env = env, cwd = '/srv', timeout = 120 }
  local report = json.decode(run.out)
  assert.is_true(type(report) == 'table', table.concat(full, ' ') .. '\n' .. run.err)
  local findings = {}
  for _, section in ipairs(report.sections) do
    for _, finding in ipairs(section.findings) do findings[finding.name] = finding end
  end
  return findings, report.verdict
end

--- The first command of a finding's remedies names all of these words.
local function assert_names(finding, words)
  local command = finding.remedies[1].commands[1]
  for _, word in ipairs(words) do
    assert.is_true(command:find(word, 1, true) ~= nil, ('no `%s` in `%s`'):format(word, command))
  end
end

describe('the doctor, as ' .. me.as .. ', in a container of', function()
  setup(make_tree)
  teardown(rig.stop_all)

  it('Docker names the filter, then the unmasking, and both make a full run', function()
    local lacks = rig.lacks 'dockerd'
    if lacks or not place.exists(FILTER) then
      pending(lacks or FILTER .. ' is not there')
      return
    end
    local daemon = rig.start('dockerd')
    local env = place.environment(place.of 'root', { DOCKER_HOST = 'unix://' .. daemon.sockets[1] })
    local import = process.run { env = env, argv = { 'sh', '-c',
      'tar -C "$0" -c . | docker import - confine-test', TREE } }
    assert.are.equal(0, import.code, import.err)
    local filter, unmask = 'seccomp=' .. FILTER, 'systempaths=unconfined'
    local function inside(options)
      return doctor_in({ 'docker', 'run' }, options, { 'confine-test' }, env)
    end

    local findings, verdict = inside {}
    assert.are.same({ 'refused', 'docker', 'missing' },
      { verdict, findings.user_namespaces.remedies[1].at, findings.user_namespaces.status })
    assert_names(findings.user_namespaces, { filter, unmask })

    findings, verdict = inside { '--security-opt', filter }
    assert.are.same({ 'weaker', 'weaker' }, { verdict, findings.procfs.status })
    assert_names(findings.procfs, { unmask })

    findings, verdict = inside { '--security-opt', filter, '--security-opt', unmask }
    assert.are.same({ 'full', 'ok' }, { verdict, findings.procfs.status })

    -- What is often advised and does not do.
    findings, verdict = inside { '--cap-add', 'SYS_ADMIN', '--security-opt', unmask }
    assert.are.same({ 'refused', 'missing' }, { verdict, findings.sandbox.status })
    assert_names(findings.sandbox, { filter })
  end)

  it('Podman names the unmasking, and it makes a full run', function()
    if rig.lacks 'podman' then
      pending(rig.lacks 'podman')
      return
    end
    local env = place.environment(place.of 'root')
    -- Without control groups of its own: the rig's place has none that an engine could use.
    local function inside(options)
      return doctor_in({ 'unshare', '--mount', '--propagation', 'private', 'sh', '-c',
        'umount /sys/fs/cgroup/unified 2>/dev/null; exec "$@"', 'sh', 'podman', '--root',
        '/srv/podman/root', '--runroot', '/srv/podman/run', '--storage-driver=vfs',
        '--cgroup-manager=cgroupfs', '--events-backend=file', 'run', '--cgroups=disabled',
        '--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000' }, options,
        { '--rootfs', TREE }, env)
    end
    local findings, verdict = inside {}
    assert.are.same({ 'weaker', 'podman', 'weaker' },
      { verdict, findings.procfs.remedies[1].at, findings.procfs.status })
    assert_names(findings.procfs, { '--security-opt unmask=ALL' })

    findings, verdict = inside { '--security-opt', 'unmask=ALL' }
    assert.are.same({ 'full', 'ok' }, { verdict, findings.procfs.status })
  end)
end)
