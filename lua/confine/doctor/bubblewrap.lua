--- Doctor: bubblewrap, and the options of it that a run needs.

--- The options that this bwrap lacks, in order.
local function lacking(seen)
  local out = {}
  for _, option in ipairs(seen.needs or {}) do
    if not seen.bwrap.options[option] then out[#out + 1] = option end
  end
  return out
end

local README = 'https://github.com/containers/bubblewrap#installation'

local function install(where, command, tried)
  return { cause = { 'no_bwrap' }, where = where, does = 'install bubblewrap, as root',
    commands = { command }, tried = tried, source = not tried and README or nil }
end

return {
  name = 'bubblewrap',
  needs_proc = 'any',
  guards = 'makes the namespaces and the mounts that a run lives in',
  proof = 'it is found in PATH, may be trusted (nobody else can write it), and its --help names '
    .. 'each option of a run of the default profile',
  missing = 'no run starts: nothing is ever run unconfined instead',
  judge = function(seen)
    local problem = seen.problems.bwrap
    if problem then return 'missing', problem.message, problem.kind end
    local lacks = lacking(seen)
    local where = ('%s %s'):format(seen.bwrap.path, seen.bwrap.version)
    if #lacks > 0 then
      return 'missing', ('%s does not know %s'):format(where, table.concat(lacks, ', ')),
        'old_bwrap'
    end
    if not seen.needs then return 'ok', where end
    return 'ok', ('%s has the %d options that a run needs'):format(where, #seen.needs)
      .. (seen.bwrap.setuid and '; it is setuid root, which no run needs' or '')
  end,
  remedies = {
    install({ 'debian', 'ubuntu' }, 'apt-get install bubblewrap', 'Debian 12'),
    install({ 'fedora', 'rhel' }, 'dnf install bubblewrap'),
    install({ 'arch' }, 'pacman -S bubblewrap'),
    install({ 'alpine' }, 'apk add bubblewrap'),
    install({ 'suse' }, 'zypper install bubblewrap'),
    { cause = { 'no_bwrap' }, where = { 'nixos' }, does = 'add the package to the configuration, '
      .. 'then nixos-rebuild switch', source = README,
      file = { path = '/etc/nixos/configuration.nix',
        text = 'environment.systemPackages = [ pkgs.bubblewrap ];' } },
    { cause = { 'no_bwrap' }, source = README,
      does = 'install the package bubblewrap of your distribution, 0.8 or later' },
    { cause = { 'old_bwrap' }, source = README,
      does = 'take bubblewrap 0.8 or later, from a later release of the distribution or built '
        .. 'from its sources, and put it into PATH before the old one',
      commands = { 'meson setup _builddir && meson install -C _builddir' } },
    { cause = { 'untrusted_bwrap' }, does = 'let only root and you write bwrap and the folders '
      .. 'above it, or put another one first into PATH', tried = 'Debian 12' },
    { cause = { 'broken_bwrap' }, does = 'see what it says by itself, and install it anew',
      commands = { 'bwrap --help' }, tried = 'Debian 12' },
  },
  examples = {
    { seen = { problems = {}, needs = { '--args' },
        bwrap = { path = '/usr/bin/bwrap', version = '0.8.0', options = { ['--args'] = true } } },
      status = 'ok', says = '/usr/bin/bwrap 0.8.0 has the 1 options' },
    { seen = { problems = {}, needs = { '--args', '--perms', '--size' },
        bwrap = { path = '/b', version = '0.4.1', options = { ['--args'] = true } } },
      status = 'missing', says = '/b 0.4.1 does not know --perms, --size', cause = 'old_bwrap' },
    { seen = { problems = { bwrap = { kind = 'no_bwrap', message = 'bwrap is not in PATH' } } },
      status = 'missing', says = 'not in PATH', cause = 'no_bwrap' },
  },
}
