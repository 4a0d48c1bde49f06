-- What shells execute when they start or log out, where a writable home holds it.
return record {
  name  = 'shell',
  files = {
    '~/.profile', '~/.bashrc', '~/.bash_profile', '~/.bash_login', '~/.bash_logout',
    '~/.bash_aliases', '~/.bashrc.d', '~/.inputrc', '~/.zshenv', '~/.zprofile', '~/.zshrc',
    '~/.zlogin', '~/.zlogout', '~/.zsh', '~/.oh-my-zsh', '~/.zshrc.d', '~/.p10k.zsh',
    '$ZDOTDIR/.zshenv', '$ZDOTDIR/.zprofile', '$ZDOTDIR/.zshrc', '$ZDOTDIR/.zlogin',
    '$XDG_CONFIG_HOME/zsh', '$XDG_CONFIG_HOME/fish', '$XDG_DATA_HOME/fish/vendor_conf.d',
    '~/.cshrc', '~/.tcshrc', '~/.login', '~/.kshrc', '$ENV', '$BASH_ENV',
    '$XDG_CONFIG_HOME/nushell', '$XDG_CONFIG_HOME/elvish', '~/.xonshrc', '$XDG_CONFIG_HOME/xonsh',
    '$XDG_CONFIG_HOME/powershell', '~/.bash_completion', '$XDG_DATA_HOME/bash-completion',
    '$XDG_DATA_HOME/zsh/site-functions', '~/.fzf.bash', '~/.fzf.zsh', '~/.zlogin.d', '~/.zplug',
    '$XDG_CONFIG_HOME/starship.toml', '~/.zinit', '$XDG_DATA_HOME/zinit', '~/.zprezto',
    '~/.zpreztorc',
  },
  why   = 'your next shell executes it',
}
