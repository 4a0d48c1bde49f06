-- What common programs execute when they start, where a writable home holds it. Files of a work
-- tree that a build executes (Makefile, package.json, build.rs, conftest.py, .cargo/config.toml and
-- their kin) stay writable: changing them is the work that is asked for.
return record {
  name  = 'tools',
  files = {
    '~/.tmux.conf', '$XDG_CONFIG_HOME/tmux', '~/.screenrc', '$XDG_CONFIG_HOME/kitty',
    '$XDG_CONFIG_HOME/wezterm', '~/.wezterm.lua', '$XDG_CONFIG_HOME/alacritty', '~/.gdbinit',
    '~/.lldbinit', '~/.pythonrc', '~/.ipython/profile_default/startup', '~/.irbrc', '~/.pryrc',
    '~/.Rprofile', '~/.Renviron', '~/.julia/config', '~/.ghci', '~/.psqlrc', '~/.lessfilter',
    '~/.cargo/config.toml', '~/.cargo/config', '~/.bazelrc', '~/.ansible.cfg',
    '$XDG_CONFIG_HOME/go/env', '~/.gradle/init.gradle', '~/.gradle/init.d', '~/.m2/extensions.xml',
    '~/.docker/cli-plugins', '$XDG_DATA_HOME/gh/extensions', '~/.config/pip',
  },
  why   = 'a program you start outside executes it, or fetches from where it says',
}
