-- What decides the next run: policies, and what is remembered between runs. A command that could
-- write them would choose its own confinement. Protects also where a grant makes the folder writable.

return record {
  name    = 'confine',
  files   = {
    '.confine.lua', '/etc/confine-lua', '$XDG_CONFIG_HOME/confine-lua', '$XDG_STATE_HOME/confine-lua',
    '$XDG_RUNTIME_DIR/confine-lua',
  },
  folders = { 'confine-lua' },
  content = { ['.confine.lua'] = '-- No policy of this work tree.\n' },
  why     = 'it decides how the next command is confined',
}
