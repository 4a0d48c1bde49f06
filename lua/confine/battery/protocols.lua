-- The protocol in which each authority is asked, so that a bare connect does not count where
-- better can be had. Of several lines for one authority the first whose pattern matches holds.

local glob = require 'confine.values.glob'

local M = {}

local PROTOCOLS = {
  at_spi = { { '*', 'bus' } },
  buildkit = { { '*', 'http2' } },
  containerd = { { '*', 'http2' } },
  crio = { { '*', 'http2' } },
  docker = { { '*', 'http' } },
  emacs = { { '*', 'emacs' } },
  gpg_agent = { { '*', 'gpg' } },
  keyring = { { 'control', 'keyring' }, { 'ssh', 'agent' } },
  pipewire = { { '*-manager', 'pipewire' }, { 'pipewire-*', 'pipewire' } },
  podman = { { 'attach', 'connect' }, { '*', 'http' } },
  pulseaudio = { { '*', 'pulse' } },
  session_bus = { { '*', 'bus' } },
  ssh_agent = { { '*', 'agent' } },
  ssh_master = { { '*', 'ssh-master' } },
  system_bus = { { '*', 'bus' } },
  systemd_private = { { '*', 'bus' } },
  tmux = { { '*', 'tmux' } },
  wayland = { { '*', 'wayland' } },
  x11 = { { '*', 'x11' } },
}

--- The attempt that asks an authority by one of its sockets; `connect` where none is known.
-- @param authority name of the record, or nil
-- @param name path or abstract name of the socket
function M.of(authority, name)
  local leaf = name:match('[^/]*$')
  for _, line in ipairs(PROTOCOLS[authority] or {}) do
    -- A leading dot is a part of these names like any other.
    if line[1] == '*' or glob.match(line[1], leaf) then return line[2] end
  end
  return 'connect'
end

return M
