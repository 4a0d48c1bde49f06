--- Doctor: a control group for the run.

local DELEGATION = 'https://systemd.io/CGROUP_DELEGATION/'

return {
  name = 'cgroup',
  needs_proc = 'any',
  guards = 'limit { memory, pids } hold for all processes of a run together',
  proof = 'a control group is made below or beside our own, limited, joined by a child, removed',
  missing = 'bounds say limits = rlimit: memory is limited for each process, and pids not at all '
    .. 'for root; a policy without these limits is the same',
  judge = function(seen)
    local proof = seen.guards.cgroup
    if proof.available then return 'ok', 'a control group with limits can be made' end
    return 'spare', proof.reason, seen.place.container and 'container'
      or seen.uid == 0 and 'root' or 'user'
  end,
  remedies = {
    { cause = { 'user', 'root' }, where = { 'alpine' }, does = 'use the unified hierarchy, and '
      .. 'hand a group of it to the user and the shell that runs this',
      file = { path = '/etc/rc.conf', text = 'rc_cgroup_mode="unified"' },
      commands = { 'mkdir /sys/fs/cgroup/NAME', 'chown -R USER /sys/fs/cgroup/NAME',
        'echo PID > /sys/fs/cgroup/NAME/cgroup.procs' },
      source = 'https://man7.org/linux/man-pages/man7/cgroups.7.html' },
    { cause = { 'user' }, does = 'have systemd hand on a group to the shell that runs this',
      commands = { 'systemd-run --user --scope -p Delegate=yes "$SHELL"' }, source = DELEGATION },
    { cause = { 'user' }, does = 'where the user\'s own manager has not all controllers, as root',
      file = { path = '/etc/systemd/system/user@.service.d/delegate.conf',
        text = '[Service]\nDelegate=memory pids cpu' }, source = DELEGATION },
    { cause = { 'root' }, does = 'use the unified hierarchy (kernel parameter '
      .. 'systemd.unified_cgroup_hierarchy=1), and a group of its own for what runs this',
      commands = { 'systemd-run --scope -p Delegate=yes "$SHELL"' }, source = DELEGATION },
    { cause = { 'container' }, where = { 'docker' }, does = 'let the container write its own '
      .. 'groups (Docker 28 or later)',
      commands = { 'docker run --security-opt writable-cgroups=true ...' },
      source = 'https://github.com/moby/moby/pull/48828' },
    { cause = { 'container' }, where = { 'podman' },
      does = 'let the container write its own groups',
      commands = { 'podman run --security-opt unmask=/sys/fs/cgroup ...' },
      source = 'https://docs.podman.io/en/latest/markdown/podman-run.1.html' },
    { cause = { 'container' }, does = 'let the engine limit the whole container instead',
      source = DELEGATION },
  },
  examples = {
    { seen = { guards = { cgroup = { available = true } } }, status = 'ok', says = 'can be made' },
    { seen = { uid = 1000, place = {}, guards = { cgroup = { available = false, reason = 'no' } } },
      status = 'spare', says = 'no', cause = 'user' },
    { seen = { uid = 0, place = { container = 'docker' },
        guards = { cgroup = { available = false, reason = 'no' } } },
      status = 'spare', says = 'no', cause = 'container' },
  },
}
