--- GNOME's newer ssh agent. Debian 13 renamed the package and the program.
local place = require 'tests.rig.place'

local OLD, NEW = '/usr/libexec/gcr-ssh-agent', '/usr/libexec/gcr4-ssh-agent'
local program = place.exists(NEW) and NEW or OLD

return {
  packages = { 'gcr or gcr4' },
  programs = { program, 'ssh-agent' },
  start = function(account)
    local folder = account.runtime .. '/gcr'
    return {
      folders = { { folder, 448 } },
      argv = { program, folder },
      sockets = { folder .. '/ssh' },
      ready = { { 'agent', folder .. '/ssh' } },
      exports = { SSH_AUTH_SOCK = folder .. '/ssh' },
    }
  end,
}
