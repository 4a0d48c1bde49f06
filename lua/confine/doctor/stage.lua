--- Doctor: the stage, which makes refusals that last.

--- Does a release such as 5.10.0-28-amd64 come before major.minor?
local function is_before(release, major, minor)
  local a, b = release:match('^(%d+)%.(%d+)')
  a, b = tonumber(a), tonumber(b)
  return a ~= nil and (a < major or (a == major and b < minor))
end

local function cause_of(seen, reason)
  if is_before(seen.kernel.release, 5, 12) then return 'kernel' end
  local is_missing = reason:find('Function not implemented', 1, true)
    or reason:find('Operation not permitted', 1, true)
  return is_missing and (seen.filters or 0) > 0 and 'seccomp' or 'other'
end

return {
  name = 'stage',
  needs_proc = 'any',
  guards = 'a refused name stays refused when the host replaces it or makes it later',
  proof = 'a small view is built by descriptor in namespaces of its own',
  missing = 'bounds say executor = bwrap and sockets = masked: what is there at the start is '
    .. 'refused, a name that the host makes or replaces later is not',
  judge = function(seen)
    if type(seen.stage) ~= 'table' then return 'ok', 'views can be built by descriptor' end
    if type(seen.userns) == 'table' and seen.userns.unknown:find('^make the mounts') then
      return 'unknown', 'not without mounts of its own: ' .. seen.stage.unknown, 'mounts'
    end
    if type(seen.userns) == 'table' then
      local is_bwraps = seen.problems.procfs == nil and seen.procfs ~= nil
      return is_bwraps and 'weaker' or 'unknown',
        'not without a user namespace for this program: ' .. seen.stage.unknown, 'userns'
    end
    return 'weaker', seen.stage.unknown, cause_of(seen, seen.stage.unknown)
  end,
  remedies = {
    { cause = { 'userns' }, see = 'user_namespaces' },
    { cause = { 'mounts' }, see = 'sandbox' },
    { cause = { 'kernel' }, where = { 'debian' },
      does = 'take a kernel of 5.12 or later (Debian 11 has one in its backports)',
      commands = { 'apt-get install -t bullseye-backports linux-image-amd64' },
      source = 'https://backports.debian.org/Instructions/' },
    { cause = { 'kernel' }, where = { 'ubuntu' }, does = 'take a kernel of 5.12 or later (Ubuntu '
      .. '20.04 has one for newer hardware)',
      commands = { 'apt-get install linux-generic-hwe-20.04' },
      source = 'https://ubuntu.com/kernel/lifecycle' },
    { cause = { 'kernel' }, does = 'take a kernel of 5.12 or later: mount_setattr is from there',
      source = 'https://man7.org/linux/man-pages/man2/mount_setattr.2.html' },
    { cause = { 'seccomp' }, where = { 'docker' },
      does = 'take a filter that knows the mount calls of Linux 5.12',
      commands = { 'docker run --security-opt seccomp=/usr/share/containers/seccomp.json ...' },
      tried = 'Docker 20.10 on Debian 12' },
    { cause = { 'seccomp' }, does = 'the system call filter this runs under must allow the call in '
      .. 'the reason', source = 'https://man7.org/linux/man-pages/man2/seccomp.2.html' },
  },
  examples = {
    { seen = { stage = true }, status = 'ok', says = 'by descriptor' },
    { seen = { stage = { unknown = 'mount_setattr: Function not implemented' },
        kernel = { release = '5.10.0-28-amd64' } },
      status = 'weaker', says = 'mount_setattr', cause = 'kernel' },
    { seen = { stage = { unknown = 'fsopen tmpfs: Function not implemented' }, filters = 1,
        kernel = { release = '6.18.44' } }, status = 'weaker', says = 'fsopen', cause = 'seccomp' },
    { seen = { stage = { unknown = 'unshare: no' }, userns = { unknown = 'unshare: no' },
        problems = { procfs = { kind = 'no_userns', message = 'no' } }, procfs = {} },
      status = 'unknown', says = 'not without a user namespace', cause = 'userns' },
    { seen = { stage = { unknown = 'make / private: no' },
        userns = { unknown = 'make the mounts of it private: no' } },
      status = 'unknown', says = 'not without mounts', cause = 'mounts' },
    { seen = { stage = { unknown = 'unshare: no' }, userns = { unknown = 'unshare: no' },
        problems = {}, procfs = { mountable = true } },
      status = 'weaker', says = 'not without a user namespace', cause = 'userns' },
  },
}
