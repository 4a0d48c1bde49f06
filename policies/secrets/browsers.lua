-- Browser profiles: cookies of open logins, saved passwords, histories.
return record {
  name  = 'browsers',
  files = {
    '~/.mozilla', '$XDG_CONFIG_HOME/mozilla', '~/.librewolf', '$XDG_CONFIG_HOME/librewolf',
    '~/.zen', '$XDG_CONFIG_HOME/zen', '~/.mullvad-browser', '$XDG_DATA_HOME/torbrowser',
    '$XDG_CONFIG_HOME/google-chrome', '$XDG_CONFIG_HOME/google-chrome-*',
    '$XDG_CONFIG_HOME/chromium', '$XDG_CONFIG_HOME/BraveSoftware',
    '$XDG_CONFIG_HOME/microsoft-edge', '$XDG_CONFIG_HOME/microsoft-edge-*',
    '$XDG_CONFIG_HOME/vivaldi', '$XDG_CONFIG_HOME/opera', '$XDG_CONFIG_HOME/qutebrowser',
    '$XDG_DATA_HOME/qutebrowser', '$XDG_DATA_HOME/epiphany',
  },
  why   = 'is logged in wherever you are, and knows saved passwords',
}
