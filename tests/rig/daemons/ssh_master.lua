--- An ssh connection that others may use, to a server of the rig's own on the loopback.
local START = [[
set -e
cd "$HOME/.ssh"
test -e key || ssh-keygen -q -t ed25519 -N '' -f key
/usr/sbin/sshd -D -f /dev/null -o Port=2222 -o ListenAddress=127.0.0.1 -o UsePAM=no \
  -o HostKey="$HOME/.ssh/key" -o AuthorizedKeysFile="$HOME/.ssh/key.pub" -o StrictModes=no \
  -o PidFile=none &
# The server may need a moment until it listens: ssh tries again itself.
exec ssh -F /dev/null -i key -p 2222 -o ConnectionAttempts=20 -o StrictHostKeyChecking=no \
  -o UserKnownHostsFile=/dev/null -M -N -S "$HOME/.ssh/cm-rig" 127.0.0.1
]]

return {
  packages = { 'openssh-server', 'openssh-client' },
  programs = { '/usr/sbin/sshd', 'ssh', 'ssh-keygen' },
  start = function(account)
    local path = account.home .. '/.ssh/cm-rig'
    return {
      folders = { { account.home .. '/.ssh', 448 } },
      argv = { 'sh', '-c', START },
      sockets = { path },
      ready = { { 'ssh-master', path } },
      patience = 30,
    }
  end,
}
