--- Doctor: Landlock scopes.

local KERNEL = 'https://docs.kernel.org/userspace-api/landlock.html#kernel-support'

--- The list of active security modules with landlock in it, for the kernel's command line.
local function cause_of(seen)
  if (seen.kernel.landlock or 0) > 0 then return 'old' end
  if seen.modules and not (',' .. seen.modules .. ','):find(',landlock,', 1, true) then
    return 'off'
  end
  return (seen.filters or 0) > 0 and 'seccomp' or 'old'
end

return {
  name = 'landlock',
  guards = "under net 'host' no abstract socket of the host (X11, session buses) can be connected",
  proof = 'a child under a scope tries an abstract socket and a signal outside, and is refused '
    .. 'both',
  missing = "the profiles agent and shell, and every policy with net 'host', do not start unless a "
    .. "trusted layer writes accept 'abstract_sockets'; then bounds say abstract = reachable",
  judge = function(seen)
    local proof = seen.guards.landlock_scopes
    if proof.available then return 'ok', ('scopes hold (ABI %d)'):format(seen.kernel.landlock) end
    return 'spare', proof.reason, cause_of(seen)
  end,
  remedies = {
    { cause = { 'off' }, does = 'switch it on: add landlock to the security modules on the '
      .. "kernel's command line, before those that there are, and start anew",
      file = { path = '/etc/default/grub', text = 'GRUB_CMDLINE_LINUX="lsm=landlock,..." (the rest '
        .. 'is what /sys/kernel/security/lsm holds)' },
      source = KERNEL },
    { cause = { 'old' }, where = { 'debian' },
      does = 'take a kernel of 6.12 or later: Debian 13, or the backports of 12',
      commands = { 'apt-get install -t bookworm-backports linux-image-amd64' },
      source = 'https://backports.debian.org/Instructions/' },
    { cause = { 'old' }, where = { 'ubuntu' }, does = 'take a kernel of 6.12 or later',
      commands = { 'apt-get install linux-generic-hwe-24.04' },
      source = 'https://ubuntu.com/kernel/lifecycle' },
    { cause = { 'old' }, does = 'take a kernel of 6.12 or later with CONFIG_SECURITY_LANDLOCK=y',
      source = KERNEL },
    { cause = { 'seccomp' }, where = { 'docker' }, does = 'take a filter that knows Landlock',
      commands = { 'docker run --security-opt seccomp=/usr/share/containers/seccomp.json ...' },
      tried = 'Docker 20.10 on Debian 12' },
    { cause = { 'seccomp' }, does = 'the system call filter this runs under must allow the three '
      .. 'landlock_ calls', source = KERNEL },
  },
  examples = {
    { seen = { kernel = { landlock = 7 }, guards = { landlock_scopes = { available = true } } },
      status = 'ok', says = 'ABI 7' },
    { seen = { kernel = { landlock = 2 },
        guards = { landlock_scopes = { available = false, reason = 'this is 2' } } },
      status = 'spare', says = 'this is 2', cause = 'old' },
    { seen = { kernel = { landlock = 0 }, modules = 'capability,yama,apparmor',
        guards = { landlock_scopes = { available = false, reason = 'this is 0' } } },
      status = 'spare', says = 'this is 0', cause = 'off' },
    { seen = { kernel = { landlock = 0 }, filters = 1,
        guards = { landlock_scopes = { available = false, reason = 'this is 0' } } },
      status = 'spare', says = 'this is 0', cause = 'seccomp' },
  },
}
