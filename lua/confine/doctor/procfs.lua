--- Doctor: a /proc of the run's own.

local function join(list, most)
  local out = {}
  for i = 1, math.min(#list, most) do out[i] = list[i] end
  return table.concat(out, ', ') .. (#list > most and (' and %d more'):format(#list - most) or '')
end

--- Did bwrap give up a run for want of it? The kernel goes by all procfs mounts that are in view.
local function was_refused_in_run(trial)
  return trial ~= nil and not trial.started and trial.said ~= nil
    and trial.said:find('mount proc on', 1, true) ~= nil
end

local PODMAN = 'Podman 4.3 on Debian 12'
local UNMASK = 'https://kubernetes.io/docs/tasks/configure-pod-container/security-context/'

return {
  name = 'procfs',
  needs_proc = 'own',
  guards = 'no process of the host is seen inside: no command line, environment, root or '
    .. 'descriptor',
  proof = 'bwrap mounts one under the shape of a run, and /proc/self/status is read in it',
  missing = "bounds say proc = covered: the host's processes are covered one by one, command lines "
    .. "of those that start later stay visible; a policy with proc 'fresh' does not start",
  judge = function(seen)
    local probe = seen.procfs
    if not probe then return 'unknown', 'not tried without bwrap' end
    if probe.mountable == true and was_refused_in_run(seen.trial) then
      return 'missing', ('bwrap by itself can mount one, but not in the view of a run: this /proc '
        .. 'has mounts over %s, and a whole one elsewhere is read-only there'):format(
        join(seen.masks or {}, 3)), 'masked', 'no run starts'
    end
    if probe.mountable == true then return 'ok', 'a /proc of its own can be mounted' end
    if seen.problems.procfs then return 'unknown', 'not tried without a sandbox' end
    if type(probe.mountable) == 'table' then
      return 'weaker', 'not found out: ' .. probe.mountable.unknown, 'not_found_out'
    end
    local masks = seen.masks or {}
    if #masks == 0 then return 'weaker', probe.reason, 'other' end
    return 'weaker', ('%s, since this /proc has mounts over %s'):format(probe.reason,
      join(masks, 3)), 'masked'
  end,
  remedies = {
    { cause = { 'masked' }, where = { 'docker' },
      does = 'start the container with its /proc unmasked',
      commands = { 'docker run --security-opt systempaths=unconfined ...' },
      tried = 'Docker 20.10 on Debian 12' },
    { cause = { 'masked' }, where = { 'podman' },
      does = 'start the container with its /proc unmasked',
      commands = { 'podman run --security-opt unmask=ALL ...' }, tried = PODMAN },
    { cause = { 'masked' }, where = { 'kubernetes' }, does = 'unmask /proc of the container, which '
      .. 'needs a pod with a user namespace of its own (1.33 or later, or the feature gates '
      .. 'ProcMountType and UserNamespacesSupport)',
      file = { path = 'the pod', text = 'spec:\n  hostUsers: false\n  containers:\n'
        .. '  - securityContext:\n      procMount: Unmasked' },
      source = UNMASK },
    { cause = { 'masked' }, where = { 'lxc' }, does = 'allow nesting, on the host',
      commands = { 'incus config set NAME security.nesting=true', 'incus restart NAME' },
      source = 'https://linuxcontainers.org/incus/docs/main/reference/instance_options/' },
    { cause = { 'masked' }, where = { 'bwrap' }, does = 'start the outer bwrap as an ordinary '
      .. 'user, with --proc /proc and no mount over what is in it', tried = 'bubblewrap 0.8' },
    { cause = { 'masked' }, does = 'take away what is mounted below /proc, or start this before it '
      .. 'is mounted: the kernel allows no /proc that shows more than the one there is. In a '
      .. 'container its engine mounted it: Docker takes --security-opt systempaths=unconfined, '
      .. 'Podman --security-opt unmask=ALL, Kubernetes procMount: Unmasked with hostUsers: false',
      tried = 'Linux 6.18, Docker 20.10 and Podman 4.3 on Debian 12' },
    { cause = { 'not_found_out' }, does = 'the probe runs /bin/sh; see what it says by hand',
      commands = { '{bwrap} --unshare-user --unshare-pid --ro-bind / / --proc /proc -- /bin/sh '
        .. '-c true' },
      tried = 'bubblewrap 0.8' },
    { cause = { 'other' }, does = 'see why, in the log of the kernel',
      commands = { 'dmesg | tail' },
      source = 'https://github.com/containers/bubblewrap/issues/505' },
  },
  examples = {
    { seen = { problems = {}, procfs = { mountable = true } }, status = 'ok', says = 'its own' },
    { seen = { problems = {}, procfs = { mountable = false, reason = 'refused' },
        masks = { '/proc/acpi', '/proc/keys', '/proc/sys', '/proc/timer_list' } },
      status = 'weaker', cause = 'masked',
      says = 'refused, since this /proc has mounts over /proc/acpi, /proc/keys, /proc/sys and 1' },
    { seen = { problems = {}, procfs = { mountable = true }, masks = { '/proc/keys' },
        trial = { started = false, said = "bwrap: Can't mount proc on /newroot/proc: no" } },
      status = 'missing', says = 'not in the view of a run: this /proc has mounts over /proc/keys',
      cause = 'masked' },
    { seen = { problems = {}, procfs = { mountable = { unknown = 'too slow' } } },
      status = 'weaker', says = 'not found out: too slow', cause = 'not_found_out' },
    { seen = { problems = { procfs = { kind = 'no_userns', message = 'no' } },
        procfs = { mountable = { unknown = 'no' } } }, status = 'unknown', says = 'without a' },
    { seen = { problems = {} }, status = 'unknown', says = 'without bwrap' },
  },
}
