--- Doctor: whether bwrap can make its mounts and enter them.

--- What forbids mounts in a namespace of one's own: the label of a security module, or a filter.
local function cause_of(seen, reason)
  local label = seen.label or ''
  if label:find(' %(enforce%)$') and reason:find('Permission denied', 1, true) then
    return 'apparmor_label'
  end
  if label:find('^[^:]+:[^:]+:[^:]+:') and reason:find('Permission denied', 1, true) then
    return 'selinux'
  end
  return (seen.filters or 0) > 0 and 'seccomp' or 'other'
end

local MEASURED = 'https://github.com/typeclaw/typeclaw/issues/1441'
local NESTED = 'https://github.com/containers/bubblewrap/issues/284'

return {
  name = 'sandbox',
  needs_proc = 'own',
  guards = 'the command sees the tree that was made for it, and no mount of the host comes later',
  proof = 'bwrap mounts / read-only in namespaces of its own and runs a shell there',
  missing = 'no run starts',
  judge = function(seen)
    local problem = seen.problems.procfs
    if problem and problem.kind == 'no_sandbox' then
      return 'missing', problem.message, cause_of(seen, problem.message)
    end
    if seen.procfs and not problem then
      return 'ok', 'bwrap can mount, and enter what it mounted'
    end
    local own = type(seen.userns) == 'table' and seen.userns.unknown or ''
    if own:find('^make the mounts') then
      return 'missing', 'mounts are refused: ' .. own, cause_of(seen, own)
    end
    return 'unknown', problem and 'not tried without a user namespace' or 'not tried without bwrap'
  end,
  remedies = {
    { cause = { 'apparmor_label' }, where = { 'docker' }, does = 'start the container without '
      .. "Docker's AppArmor profile, which denies mounts; on Ubuntu the restriction of user "
      .. 'namespaces must then be lifted on the host, see apparmor',
      commands = { 'docker run --security-opt apparmor=unconfined ...' }, source = MEASURED },
    { cause = { 'apparmor_label' }, where = { 'podman' }, source = MEASURED,
      does = 'start the container without an AppArmor profile',
      commands = { 'podman run --security-opt apparmor=unconfined ...' } },
    { cause = { 'apparmor_label' }, where = { 'kubernetes' },
      does = 'start the container without an AppArmor profile',
      file = { path = 'the pod: spec.containers[].securityContext',
        text = 'appArmorProfile: { type: Unconfined }' },
      source = 'https://kubernetes.io/docs/tutorials/security/apparmor/' },
    { cause = { 'apparmor_label', 'other', 'seccomp' }, where = { 'lxc' }, does = 'allow nesting: '
      .. 'Incus and LXD by an option, plain LXC by the profile in the configuration',
      commands = { 'incus config set NAME security.nesting=true', 'incus restart NAME' },
      file = { path = 'the configuration of a plain LXC container',
        text = 'lxc.apparmor.profile = lxc-container-default-with-nesting' },
      source = 'https://github.com/containers/bubblewrap/issues/362' },
    { cause = { 'apparmor_label' }, does = 'the profile in the reason must allow mount, umount and '
      .. 'pivot_root, or this program be started outside of it', source = MEASURED },
    { cause = { 'selinux' }, where = { 'podman' }, does = 'start the container without its label',
      commands = { 'podman run --security-opt label=disable ...' }, source = NESTED },
    { cause = { 'selinux' }, where = { 'docker' }, does = 'start the container without its label',
      commands = { 'docker run --security-opt label=disable ...' }, source = NESTED },
    { cause = { 'seccomp' }, where = { 'docker' }, does = "take Podman's filter, which allows "
      .. "mounts and pivot_root, in place of Docker's; --cap-add SYS_ADMIN does not do",
      commands = { 'docker run --security-opt seccomp=/usr/share/containers/seccomp.json '
        .. '--security-opt systempaths=unconfined ...' }, tried = 'Docker 20.10 on Debian 12' },
    { cause = { 'seccomp' }, where = { 'kubernetes' },
      does = 'give the container a filter that allows mounts (localhostProfile), or none',
      file = { path = 'the pod: spec.containers[].securityContext',
        text = 'seccompProfile: { type: Unconfined }' },
      source = 'https://kubernetes.io/docs/tutorials/security/seccomp/' },
    { cause = { 'seccomp' }, does = 'start this outside of the sandbox or the service whose system '
      .. 'call filter refuses mounts (systemd: SystemCallFilter=)',
      source = 'https://www.freedesktop.org/software/systemd/man/systemd.exec.html' },
    { cause = { 'selinux', 'other' }, does = 'see what was denied, in the log of the kernel',
      commands = { 'dmesg | tail' }, source = NESTED },
  },
  examples = {
    { seen = { problems = {}, procfs = { mountable = true } }, status = 'ok', says = 'can mount' },
    { seen = { problems = { procfs = { kind = 'no_sandbox', message = 'Permission denied' } },
        label = 'docker-default (enforce)', filters = 1 },
      status = 'missing', says = 'denied', cause = 'apparmor_label' },
    { seen = { problems = { procfs = { kind = 'no_sandbox', message = 'Permission denied' } },
        label = 'system_u:system_r:container_t:s0:c1,c2' },
      status = 'missing', says = 'denied', cause = 'selinux' },
    { seen = { problems = { procfs = { kind = 'no_sandbox', message = 'pivot_root: no' } },
        filters = 1 }, status = 'missing', says = 'pivot_root', cause = 'seccomp' },
    { seen = { problems = {}, userns = { unknown = 'make the mounts private: no' }, filters = 0 },
      status = 'missing', says = 'mounts are refused', cause = 'other' },
    { seen = { problems = {}, userns = true }, status = 'unknown', says = 'without bwrap' },
  },
}
