--- GnuPG's sockets: what gpgconf says, GNUPGHOME, and the folders of other homes.
local endpoint = require 'confine.values.endpoint'
local found = require 'scripts.found'

--- Which authority a line of `gpgconf --list-dirs` names a socket of (gpgconf(1)).
local LINES = {
  ['agent-socket'] = 'gpg_agent', ['agent-extra-socket'] = 'gpg_agent',
  ['agent-browser-socket'] = 'gpg_agent', ['agent-ssh-socket'] = 'ssh_agent',
  ['keyboxd-socket'] = 'gpg_agent', ['dirmngr-socket'] = 'gpg_agent',
}

local function listed(out, argv, source)
  local answer = out.host.run(argv)
  for key, value in ('\n' .. (answer or '')):gmatch('\n([%l-]+):([^\n]*)') do
    if LINES[key] then
      local where, problem = endpoint.unescape(value)
      if where then
        out:endpoint(LINES[key], 'path', where, source)
      else
        out:problem(source .. ': ' .. problem)
      end
    end
  end
end

local function discover(host)
  local out = found.new(host)
  listed(out, { 'gpgconf', '--list-dirs' }, 'gpgconf --list-dirs')
  out:variable('gpg_agent', 'GPG_AGENT_INFO', 'gpg-info')
  out:variable('gpg_agent', 'GNUPGHOME', 'gpg-home')
  for _, dir in ipairs { host.runtime_dir .. '/gnupg', host.runtime_dir .. '/gnupg/d.*',
    host.home .. '/.gnupg' } do
    for _, where in ipairs((out:glob(dir .. '/S.*'))) do
      if host.type(where) == 'socket' then
        local authority = where:find('%.ssh$') and 'ssh_agent' or 'gpg_agent'
        out:add { authority = authority, path = where, source = 'socket of GnuPG' }
      end
    end
  end
  return out:results()
end

return {
  doc = 'The sockets that gpgconf --list-dirs names, those of GNUPGHOME and GPG_AGENT_INFO, and '
    .. 'those of other homes in the runtime folder (d.HASH).',
  discover = discover,
}
