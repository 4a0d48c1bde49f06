--- GNOME's newer ssh agent. Debian 13 has it in the package gcr4.
local process = require 'tests.rig.process'

local PROGRAM = '/usr/libexec/gcr-ssh-agent'

--- gcr 3 takes its folder as the only word; gcr 4 has options, of which its help tells.
local function argv_for(folder)
  local help = process.run { argv = { PROGRAM, '--help' } }
  if help.out:find('--base-dir', 1, true) then return { PROGRAM, '--base-dir', folder } end
  return { PROGRAM, folder }
end

return {
  packages = { 'gcr or gcr4' },
  programs = { PROGRAM, 'ssh-agent' },
  start = function(account)
    local folder = account.runtime .. '/gcr'
    -- One that was killed leaves the socket of its own ssh-agent, at which the next cannot listen.
    os.remove(folder .. '/.ssh')
    return {
      folders = { { folder, 448 } },
      argv = argv_for(folder),
      sockets = { folder .. '/ssh' },
      ready = { { 'agent', folder .. '/ssh' } },
      exports = { SSH_AUTH_SOCK = folder .. '/ssh' },
    }
  end,
}
