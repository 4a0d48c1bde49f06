-- Histories of shells, prompts and clipboards: people paste tokens and passwords there.
return record {
  name  = 'histories',
  files = {
    '~/.bash_history', '~/.zsh_history', '~/.sh_history', '~/.python_history', '~/.psql_history',
    '~/.mysql_history', '~/.node_repl_history', '~/.*_history', '~/.*-history', '~/.history',
    '~/.histfile', '~/.zhistory', '$HISTFILE', '$ZDOTDIR/.zsh_history',
    '$XDG_DATA_HOME/fish/fish_history', '$XDG_DATA_HOME/atuin',
    '$XDG_CONFIG_HOME/nushell/history.txt', '$XDG_CONFIG_HOME/nushell/history.sqlite3',
    '~/.ipython/profile_default/history.sqlite', '~/.dbshell', '$XDG_DATA_HOME/klipper',
    '$XDG_CACHE_HOME/cliphist', '$XDG_DATA_HOME/copyq', '$XDG_DATA_HOME/clipman.json',
    '$XDG_DATA_HOME/gpaste', '$XDG_DATA_HOME/zsh/history', '$XDG_STATE_HOME/zsh/history',
    '$XDG_CACHE_HOME/zsh/history', '$XDG_STATE_HOME/bash/history',
    '$XDG_DATA_HOME/powershell/PSReadLine',
    '$XDG_STATE_HOME/*_history', '$XDG_STATE_HOME/python/history', '$PYTHON_HISTORY',
    '$PSQL_HISTORY', '$XDG_DATA_HOME/nushell/history.txt',
    '$XDG_DATA_HOME/nushell/history.sqlite3', '$XDG_DATA_HOME/xonsh',
    '$XDG_DATA_HOME/recently-used.xbel', '~/.xsession-errors', '~/.xsession-errors.old',
    -- what tools and editors leave beside them
    '~/.bash_history?*', '~/.zsh_history?*',
  },
  why   = 'holds passwords and tokens that were typed or pasted',
}
