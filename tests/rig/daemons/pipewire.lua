--- PipeWire with its session manager and its PulseAudio socket, on a session bus of its own.
return {
  packages = { 'pipewire', 'wireplumber', 'pipewire-pulse', 'dbus' },
  programs = { 'pipewire', 'wireplumber', 'pipewire-pulse', 'dbus-run-session' },
  start = function(account)
    local media, sound = account.runtime .. '/pipewire-0', account.runtime .. '/pulse/native'
    return {
      argv = { 'dbus-run-session', '--', 'sh', '-c',
        'pipewire & wireplumber & exec pipewire-pulse' },
      sockets = { media, sound },
      ready = { { 'pipewire', media }, { 'pulse', sound } },
    }
  end,
}
