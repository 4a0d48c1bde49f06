-- What a login, a desktop or the user's service manager starts, where a writable home holds it, and
-- folders from which later programs are taken by name.
return record {
  name  = 'session',
  files = {
    '~/.xprofile', '~/.xinitrc', '~/.xsession', '~/.xsessionrc', '~/.pam_environment',
    '$XDG_CONFIG_HOME/autostart', '$XDG_CONFIG_HOME/plasma-workspace',
    '$XDG_CONFIG_HOME/environment.d', '$XDG_CONFIG_HOME/systemd', '$XDG_DATA_HOME/systemd',
    '$XDG_DATA_HOME/dbus-1', '$XDG_DATA_HOME/applications', '$XDG_DATA_HOME/gnome-shell/extensions',
    '~/.mailcap', '~/.forward', '$XDG_CONFIG_HOME/sway', '$XDG_CONFIG_HOME/i3',
    '$XDG_CONFIG_HOME/hypr', '$XDG_CONFIG_HOME/niri', '$XDG_CONFIG_HOME/openbox',
    '$XDG_CONFIG_HOME/awesome', '$XDG_CONFIG_HOME/bspwm', '$XDG_CONFIG_HOME/sxhkd',
    '$XDG_CONFIG_HOME/qtile', '~/.xmonad', '$XDG_CONFIG_HOME/waybar', '~/bin', '~/.bin',
    '~/.local/bin', '~/.cargo/bin', '~/.cargo/env', '~/go/bin', '~/.bun/bin', '~/.volta/bin',
    '~/.deno/bin', '~/.pyenv', '~/.rbenv', '~/.nvm', '~/.sdkman', '~/.local/share/pnpm',
    '$XDG_CONFIG_HOME/containers/systemd', '$XDG_CONFIG_HOME/user-tmpfiles.d',
    '$XDG_CONFIG_HOME/river', '$XDG_CONFIG_HOME/labwc', '$XDG_CONFIG_HOME/home-manager',
    '$XDG_DATA_HOME/nautilus/scripts', '$XDG_DATA_HOME/kservices5', '$XDG_DATA_HOME/kio',
    '$XDG_DATA_HOME/pipx', '$XDG_DATA_HOME/claude', '~/.rustup/toolchains', '~/.npm-global/bin',
    '~/.opam', '~/.ghcup/bin', '~/.krew/bin', '~/.opencode/bin', '~/.cabal/bin',
    '~/.local/lib', '~/.selected_editor', '$XDG_CONFIG_HOME/user-dirs.dirs',
    '~/.fluxbox/startup', '$XDG_CONFIG_HOME/rofi', '$XDG_CONFIG_HOME/polybar',
  },
  why   = 'the next login or program start outside executes it',
}
