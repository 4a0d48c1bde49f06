--- PulseAudio with a null sink.
return {
  packages = { 'pulseaudio' },
  programs = { 'pulseaudio' },
  start = function(account)
    local path = account.runtime .. '/pulse/native'
    return {
      argv = { 'pulseaudio', '-n', '--daemonize=no', '--exit-idle-time=-1',
        '-L', 'module-native-protocol-unix', '-L', 'module-null-sink' },
      sockets = { path },
      ready = { { 'pulse', path } },
    }
  end,
}
