-- PulseAudio, or PipeWire in its place.
return record {
  name     = 'pulseaudio',
  grants   = 'records the microphone and what is played, and loads modules into the sound server',
  sockets  = {
    '$XDG_RUNTIME_DIR/pulse/native', '$XDG_RUNTIME_DIR/pulse/cli',
    '$XDG_RUNTIME_DIR/pulse/dbus-socket',
    '$XDG_CONFIG_HOME/pulse/*-runtime/native', '~/.pulse/*-runtime/native', '/tmp/pulse-*/native',
    '/run/pulse/native', '/var/run/pulse/native', '/run/pulse/dbus-socket',
    '/mnt/wslg/PulseServer', '/mnt/wslg/runtime-dir/pulse/native',
  },
  env      = {
    PULSE_SERVER = 'pulse', PULSE_RUNTIME_PATH = 'pulse-runtime',
    PULSE_DBUS_SERVER = 'dbus-address', PULSE_COOKIE = 'name',
  },
  variable = 'PULSE_SERVER',
  tcp      = { 'localhost:4713' },
  owners   = { 'pulseaudio', 'pipewire-pulse' },
  secrets  = { '$XDG_CONFIG_HOME/pulse/cookie', '~/.pulse-cookie', '$PULSE_COOKIE' },
}
