-- What decides the next run: policies, and what is remembered between runs. A command that could
-- write them would choose its own confinement. A work tree's own policy can only refuse, so a new
-- one does no harm: the star makes it protected where it is there, without a placeholder in the
-- tree.

return record {
  name    = 'confine',
  files   = {
    '.confine.lu[a]', '/etc/confine-lua', '$XDG_CONFIG_HOME/confine-lua',
    '$XDG_STATE_HOME/confine-lua', '$XDG_RUNTIME_DIR/confine-lua',
    -- What is remembered where there is no runtime folder.
    '/tmp/confine-lua-*', '/run/confine-lua',
  },
  folders = { 'confine-lua' },
  why     = 'it decides how the next command is confined',
}
