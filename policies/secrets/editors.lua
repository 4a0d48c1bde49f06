-- What editors keep of logins, and copies of files they have opened: settings, extension storage,
-- local histories, swap. Their programs and extensions stay readable.
return record {
  name  = 'editors',
  files = {
    '$XDG_CONFIG_HOME/Code', '$XDG_CONFIG_HOME/Code - Insiders', '$XDG_CONFIG_HOME/VSCodium',
    '$XDG_CONFIG_HOME/Cursor', '$XDG_CONFIG_HOME/Windsurf', '$XDG_CONFIG_HOME/Antigravity',
    '$XDG_CONFIG_HOME/Kiro', '~/.vscode-server/data', '~/.cursor-server/data',
    '~/.windsurf-server/data', '~/.vscode/cli', '$XDG_CONFIG_HOME/code-server/config.yaml',
    '$XDG_DATA_HOME/code-server/User', '$XDG_CONFIG_HOME/JetBrains', '$XDG_CONFIG_HOME/Google',
    '$XDG_DATA_HOME/zed/db', '$XDG_CONFIG_HOME/sublime-text/Local', '$XDG_STATE_HOME/nvim',
    '$XDG_STATE_HOME/vim', '~/.viminfo',
  },
  why   = 'holds the logins of extensions, and text of files you had open',
}
