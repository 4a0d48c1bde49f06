--- ssh-agents and ssh masters: SSH_AUTH_SOCK, IdentityAgent, ControlPath and the usual folders.
local endpoint = require 'confine.values.endpoint'
local found = require 'scripts.found'
local ssh_config = require 'scripts.readers.ssh_config'

local AGENT, MASTER = 'ssh_agent', 'ssh_master'

--- Settings that name a socket. RemoteForward's and LocalForward's hold no authority of ours.
local NAMED = { identityagent = AGENT, controlpath = MASTER }

--- Agents below the home and the runtime folder: OpenSSH's own and the password managers'.
local IN_HOME = {
  '.ssh/agent/s.*', '.1password/agent.sock', '.ssh/proton-pass-agent.sock',
  '.bitwarden-ssh-agent.sock', '.var/app/*/data/.bitwarden-ssh-agent.sock',
  'snap/*/current/.bitwarden-ssh-agent.sock',
}
local IN_RUNTIME = {
  'ssh-agent.socket', 'ssh-agent.sock', 'openssh_agent', 'gcr/ssh', 'keyring/ssh', 'keyring/.ssh',
  'ssh-tpm-agent.sock', 'yubikey-agent/yubikey-agent.sock',
}

--- Names that ssh is asked about: what a `Host` line names, and a host that none does.
local MAX_ASKED = 32

local function agent(out, setting, source)
  local value = setting.value
  if value:lower() == 'none' then return end
  local name = value == 'SSH_AUTH_SOCK' and value or value:match('^%$([%a_][%w_]*)$')
  if name then
    out:variable(AGENT, name, 'path')
    return
  end
  local list, problem = ssh_config.expand(setting, out.host)
  if problem then out:problem(source .. ': ' .. problem) end
  for _, item in ipairs(list or {}) do
    if item.path then
      out:path(AGENT, item.path, source)
    else
      out:add { authority = AGENT, glob = item.glob, source = source }
    end
  end
end

local function master(out, setting, source)
  if setting.value:lower() == 'none' then return end
  local list, problem = ssh_config.expand(setting, out.host)
  if problem then out:problem(source .. ': ' .. problem) end
  for _, item in ipairs(list or {}) do
    out:add { authority = MASTER, path = item.path, glob = item.glob, source = source }
  end
end

--- What ssh itself makes of the settings. It runs what a `Match exec` says even when it is only
-- asked, and may ask a name server, so the settings must have been read in full and hold neither.
local function ask(out, config)
  if config.runs or config.looks_up or not config.complete then return end
  local names, seen = { 'localhost' }, { localhost = true }
  for _, setting in ipairs(config.settings) do
    for _, name in ipairs(setting.block.hosts) do
      if not seen[name] and #names < MAX_ASKED then
        seen[name] = true
        names[#names + 1] = name
      end
    end
  end
  for _, name in ipairs(names) do
    local answer = out.host.run { 'ssh', '-G', '--', name }
    for key, value in ('\n' .. (answer or '')):gmatch('\n(%l+) ([^\n]+)') do
      -- ssh has expanded what it can already; a percent sign is one.
      local setting = { value = (value:gsub('%%', '%%%%')), block = { hosts = {}, settings = {} } }
      if NAMED[key] == AGENT then agent(out, setting, 'IdentityAgent of ssh_config') end
      if NAMED[key] == MASTER then master(out, setting, 'ControlPath of ssh_config') end
    end
  end
end

local function discover(host)
  local out = found.new(host)
  out:variable(AGENT, 'SSH_AUTH_SOCK', 'path')
  local config = ssh_config.read(out, host.homes)
  for _, setting in ipairs(config.settings) do
    if NAMED[setting.key] == AGENT then agent(out, setting, 'IdentityAgent of ssh_config') end
    if NAMED[setting.key] == MASTER then master(out, setting, 'ControlPath of ssh_config') end
  end
  ask(out, config)
  for _, home in ipairs(host.homes) do
    for _, place in ipairs(IN_HOME) do out:sockets(AGENT, home .. '/' .. place, 'known agent') end
  end
  for _, place in ipairs(IN_RUNTIME) do
    out:sockets(AGENT, host.runtime_dir .. '/' .. place, 'known agent')
  end
  out:sockets(AGENT, '/tmp/ssh-*/agent.*', 'agent in /tmp')
  local lima = endpoint.literal(host.env.LIMA_HOME or host.home .. '/.lima')
  out:sockets(MASTER, lima .. '/*/ssh.sock', 'Lima machine')
  return out:results()
end

return {
  doc = 'ssh-agents named by SSH_AUTH_SOCK and IdentityAgent, those of OpenSSH, desktops and '
    .. 'password managers, and the control sockets that ControlPath names.',
  discover = discover,
}
