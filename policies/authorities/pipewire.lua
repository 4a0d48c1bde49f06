-- PipeWire: microphones, loudspeakers, cameras and screen recordings.
return record {
  name    = 'pipewire',
  grants  = 'records the microphone, what is played, and cameras or screens that are shared',
  sockets = {
    '$XDG_RUNTIME_DIR/pipewire-0', '$XDG_RUNTIME_DIR/pipewire-0-manager',
    '$XDG_RUNTIME_DIR/pipewire-*', '/run/pipewire/pipewire-*',
  },
  env     = {
    PIPEWIRE_REMOTE = 'pipewire', PIPEWIRE_RUNTIME_DIR = 'pipewire-runtime', PIPEWIRE_CORE = 'name',
  },
  owners  = { 'pipewire' },
}
