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
    '~/.docker/cli-plugins', '$XDG_DATA_HOME/gh/extensions', '~/.config/pip', '~/.pdbrc',
    '$XDG_CONFIG_HOME/gdb', '$XDG_CONFIG_HOME/jj', '$XDG_CONFIG_HOME/foot',
    '$XDG_CONFIG_HOME/ghostty', '$XDG_CONFIG_HOME/lazygit', '$XDG_CONFIG_HOME/yazi',
    '$XDG_CONFIG_HOME/lf', '$XDG_CONFIG_HOME/ranger', '$XDG_CONFIG_HOME/mpv',
    '$XDG_DATA_HOME/jupyter/kernels', '~/.jupyter', '~/.ipython/profile_default',
    '~/.local/lib/python*/site-packages',
    '~/.tmux/plugins', '~/.mavenrc', '~/.sqliterc', '~/.devscripts', '~/.quiltrc', '~/.pbuilderrc',
    '~/.vagrant.d/Vagrantfile', '~/.lein', '~/.clojure/deps.edn', '~/.clojure/tools',
    '$XDG_CONFIG_HOME/nixpkgs',
    -- of a work tree, where they are there: an interpreter started in it executes them
    '.Rprofil[e]', '.Renviro[n]', '.irbr[c]', '.pryr[c]', '.iex.ex[s]', '.ghc[i]', '.octaver[c]',
    '.pdbr[c]',
  },
  why   = 'a program you start outside executes it, or fetches from where it says',
}
