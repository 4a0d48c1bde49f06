--- Doctor: user namespaces, for bwrap and for the stage.

--- What stands behind a refusal: settings that forbid it to all, then those that forbid it to us.
local function cause_of(seen, reason)
  local set = seen.settings or {}
  if reason:find('No space left', 1, true) or reason:find('ENOSPC', 1, true) then return 'limit' end
  if set['kernel.unprivileged_userns_clone'] == '0' and seen.uid ~= 0 then return 'clone' end
  if set['kernel.apparmor_restrict_unprivileged_userns'] == '1' and seen.uid ~= 0 then
    return 'apparmor'
  end
  if (seen.filters or 0) > 0 then return 'seccomp' end
  if seen.chrooted then return 'chroot' end
  return 'other'
end

--- That the mounts in one are refused is another matter: see the record sandbox.
local function is_of_mounts(reason) return reason:find('^make the mounts') ~= nil end

local README_DEBIAN = 'README.Debian of the package bubblewrap'
local NAMESPACES = 'https://man7.org/linux/man-pages/man7/namespaces.7.html'
local MOBY = 'https://docs.docker.com/engine/security/seccomp/'

return {
  name = 'user_namespaces',
  needs_proc = 'any',
  guards = 'without root, every other namespace and every mount is had through one; for root, it '
    .. 'takes the power over the host away',
  proof = 'bwrap makes one, and so does this program: with id maps and a private mount tree',
  missing = 'no run starts where bwrap gets none; where only this program gets none, the view is '
    .. 'made by bwrap arguments, see stage',
  judge = function(seen)
    local problem, own = seen.problems.procfs, seen.userns
    if problem and problem.kind == 'no_userns' then
      return 'missing', problem.message, cause_of(seen, problem.message)
    end
    if type(own) ~= 'table' or is_of_mounts(own.unknown) then
      return 'ok', seen.procfs and 'bwrap and this program can make them'
        or 'this program can make them'
    end
    local says = 'this program gets none: ' .. own.unknown
    -- Without bwrap there is no other who could get one.
    if not seen.procfs then return 'missing', says, cause_of(seen, own.unknown) end
    return 'weaker', 'bwrap gets one, but ' .. says, cause_of(seen, own.unknown)
  end,
  remedies = {
    { cause = { 'limit' }, where = { 'bwrap' }, tried = 'bubblewrap 0.8',
      does = 'start the outer bwrap without --disable-userns' },
    { cause = { 'limit' }, where = { 'nixos' },
      does = 'allow them in the configuration, then nixos-rebuild switch',
      file = { path = '/etc/nixos/configuration.nix',
        text = 'security.allowUserNamespaces = true;' },
      source = 'https://github.com/NixOS/nixpkgs/blob/master/nixos/modules/security/misc.nix' },
    { cause = { 'limit' }, does = 'raise the number that each user may have; in a container, on '
      .. 'its host', commands = { 'sysctl -w user.max_user_namespaces=15000' },
      file = { path = '/etc/sysctl.d/60-user-namespaces.conf',
        text = 'user.max_user_namespaces = 15000' },
      tried = 'Linux 6.18, in a user namespace of its own (' .. NAMESPACES .. ')' },
    { cause = { 'clone' }, where = { 'nixos' },
      does = 'allow them in the configuration, then nixos-rebuild switch',
      file = { path = '/etc/nixos/configuration.nix',
        text = 'security.unprivilegedUsernsClone = true;' },
      source = 'https://github.com/NixOS/nixpkgs/blob/master/nixos/modules/security/misc.nix' },
    { cause = { 'clone' }, does = 'allow them to users; in a container, on its host',
      commands = { 'sysctl -w kernel.unprivileged_userns_clone=1' },
      file = { path = '/etc/sysctl.d/60-user-namespaces.conf',
        text = 'kernel.unprivileged_userns_clone = 1' }, source = README_DEBIAN },
    { cause = { 'apparmor' }, see = 'apparmor' },
    { cause = { 'seccomp' }, where = { 'docker' }, does = "take Podman's filter, which allows them "
      .. "(package golang-github-containers-common or containers-common), in place of Docker's",
      commands = { 'docker run --security-opt seccomp=/usr/share/containers/seccomp.json '
        .. '--security-opt systempaths=unconfined ...' },
      tried = 'Docker 20.10 on Debian 12; --cap-add SYS_ADMIN was tried too and does not do: '
        .. 'pivot_root stays refused' },
    { cause = { 'seccomp' }, where = { 'docker' }, does = 'or start the container without a filter',
      commands = { 'docker run --security-opt seccomp=unconfined '
        .. '--security-opt systempaths=unconfined ...' },
      tried = 'Docker 20.10 on Debian 12 (' .. MOBY .. ')' },
    { cause = { 'seccomp' }, where = { 'kubernetes' }, does = 'give the container a filter that '
      .. 'allows them (localhostProfile), or none',
      file = { path = 'the pod: spec.containers[].securityContext',
        text = 'seccompProfile: { type: Unconfined }' },
      source = 'https://kubernetes.io/docs/tutorials/security/seccomp/' },
    { cause = { 'seccomp', 'other' }, where = { 'lxc' }, does = 'allow nesting, on the host',
      commands = { 'incus config set NAME security.nesting=true', 'incus restart NAME' },
      source = 'https://github.com/lxc/incus/pull/1937' },
    { cause = { 'seccomp' }, does = 'start this outside of the sandbox or the service whose '
      .. 'system call filter refuses them (systemd: RestrictNamespaces=, SystemCallFilter=)',
      source = 'https://www.freedesktop.org/software/systemd/man/systemd.exec.html' },
    { cause = { 'chroot' },
      does = 'enter the tree by pivot_root: the kernel refuses them in a chroot',
      commands = { 'bwrap --bind TREE / --proc /proc --dev /dev ...' }, tried = 'bubblewrap 0.8' },
    { cause = { 'other' }, does = 'a kernel with CONFIG_USER_NS=y is needed',
      source = README_DEBIAN },
  },
  examples = {
    { seen = { problems = {}, userns = true, procfs = { mountable = true } }, status = 'ok',
      says = 'bwrap and this program' },
    { seen = { uid = 1000, problems = { procfs = { kind = 'no_userns', message = 'refused' } },
        userns = { unknown = 'unshare: Operation not permitted' },
        settings = { ['kernel.unprivileged_userns_clone'] = '0' } },
      status = 'missing', says = 'refused', cause = 'clone' },
    { seen = { uid = 1000, problems = { procfs = { kind = 'no_userns', message = 'ENOSPC' } } },
      status = 'missing', says = 'ENOSPC', cause = 'limit' },
    { seen = { uid = 1000, problems = {}, procfs = { mountable = true },
        userns = { unknown = 'write /proc/self/uid_map: Permission denied' },
        settings = { ['kernel.apparmor_restrict_unprivileged_userns'] = '1' } },
      status = 'weaker', says = 'bwrap gets one, but this program gets none', cause = 'apparmor' },
    { seen = { uid = 0, filters = 1, problems = { procfs = { kind = 'no_userns', message = 'no' } },
        settings = { ['kernel.apparmor_restrict_unprivileged_userns'] = '1' } },
      status = 'missing', says = 'no', cause = 'seccomp' },
    { seen = { uid = 0, chrooted = true, problems = {}, userns = { unknown = 'unshare: no' } },
      status = 'missing', says = 'this program gets none', cause = 'chroot' },
    { seen = { problems = {}, userns = { unknown = 'make the mounts of it private: no' } },
      status = 'ok', says = 'this program can make them' },
  },
}
