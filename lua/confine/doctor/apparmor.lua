--- Doctor: AppArmor's restriction of user namespaces (Ubuntu 23.10 and later).

local SETTING = 'kernel.apparmor_restrict_unprivileged_userns'
local UBUNTU = 'https://ubuntu.com/blog/ubuntu-23-10-restricted-unprivileged-user-namespaces'
local STEPS = 'https://github.com/microsoft/vscode/issues/316046'

return {
  name = 'apparmor',
  guards = 'nothing of ours: it restricts user namespaces to programs with a profile that allows '
    .. 'them, and this program and bwrap need them',
  proof = SETTING .. ' is read, and a user namespace made by bwrap and by this program',
  missing = 'see user_namespaces: no run where bwrap gets none, no stage where this program gets '
    .. 'none',
  judge = function(seen)
    local value = (seen.settings or {})[SETTING]
    if value ~= '1' then
      return 'ok', value and 'the restriction is off' or 'this kernel has no such restriction'
    end
    if seen.uid == 0 then return 'ok', 'the restriction is on, and root is not under it' end
    local problem = seen.problems.procfs
    if problem and (problem.kind == 'no_userns' or problem.kind == 'no_sandbox') then
      return 'missing', 'the restriction is on, and bwrap is under it', 'bwrap'
    end
    if type(seen.userns) == 'table' or type(seen.stage) == 'table' then
      return 'weaker', 'the restriction is on: bwrap has a profile, this program has none',
        'program'
    end
    return 'ok', 'the restriction is on, and this program and bwrap have profiles'
  end,
  remedies = {
    { does = 'write a profile that allows this program, and the bwrap that it starts, a user '
      .. 'namespace, and load it', file = { path = '/etc/apparmor.d/confine-lua',
        text = 'abi <abi/4.0>,\ninclude <tunables/global>\nprofile confine-lua {program} '
          .. 'flags=(unconfined) {\n  userns,\n}' },
      commands = { 'apparmor_parser -r /etc/apparmor.d/confine-lua' }, source = UBUNTU },
    { cause = { 'bwrap' }, does = 'or let bwrap alone have one, by the profile that Ubuntu ships '
      .. '(runs start then, without a stage)',
      commands = { 'apt-get install apparmor-profiles',
        'install -m 0644 /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/',
        'apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict' }, source = STEPS },
    { does = 'or lift the restriction for everybody; in a container this is done on its host',
      commands = { 'sysctl -w ' .. SETTING .. '=0' },
      file = { path = '/etc/sysctl.d/60-userns.conf', text = SETTING .. ' = 0' }, source = UBUNTU },
  },
  examples = {
    { seen = { uid = 1000, settings = {} }, status = 'ok', says = 'no such restriction' },
    { seen = { uid = 1000, settings = { [SETTING] = '0' } }, status = 'ok', says = 'off' },
    { seen = { uid = 1000, settings = { [SETTING] = '1' },
        problems = { procfs = { kind = 'no_userns', message = 'bwrap: setting up uid map' } } },
      status = 'missing', says = 'bwrap is under it', cause = 'bwrap' },
    { seen = { uid = 1000, settings = { [SETTING] = '1' }, problems = {},
        userns = { unknown = 'write /proc/self/uid_map: Permission denied' } },
      status = 'weaker', says = 'this program has none', cause = 'program' },
    { seen = { uid = 1000, settings = { [SETTING] = '1' }, problems = {}, userns = true,
        stage = true }, status = 'ok', says = 'have profiles' },
  },
}
