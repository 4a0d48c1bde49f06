-- Chat programs.
return record {
  name  = 'messengers',
  files = {
    '$XDG_CONFIG_HOME/Slack', '$XDG_CONFIG_HOME/discord', '$XDG_CONFIG_HOME/vesktop',
    '$XDG_CONFIG_HOME/Signal', '$XDG_DATA_HOME/signal-cli', '$XDG_DATA_HOME/TelegramDesktop',
    '$XDG_CONFIG_HOME/Element', '$XDG_CONFIG_HOME/Mattermost', '$XDG_CONFIG_HOME/teams-for-linux',
    '$XDG_CONFIG_HOME/Microsoft', '~/.zoom', '$XDG_DATA_HOME/gajim', '~/.purple', '~/.weechat',
    '$XDG_CONFIG_HOME/weechat', '~/.irssi', '~/.slack',
  },
  why   = 'reads and writes messages as you',
}
