-- Settings of everyday tools, which hold a login now and then: a token that is exported in a
-- start-up file, a password in the URL of a mirror or a proxy. They are hidden while they do
-- (`holds`), and else readable; what is a login, lua/confine/values/login.lua knows.
return record {
  name  = 'settings',
  holds = 'login',
  files = {
    -- what shells read, and what their start-up files read
    '~/.profile', '~/.bashrc', '~/.bash_profile', '~/.bash_login', '~/.bash_logout',
    '~/.bash_aliases', '~/.bashrc.d/*', '~/.bash/*', '~/.zshenv', '~/.zprofile', '~/.zshrc',
    '~/.zlogin', '~/.zshrc.d/*', '~/.zsh/*', '~/.oh-my-zsh/custom/*', '$ZDOTDIR/.zsh*',
    '$XDG_CONFIG_HOME/zsh/*', '$XDG_CONFIG_HOME/zsh/.z*', '~/.cshrc', '~/.tcshrc', '~/.login',
    '~/.kshrc', '$ENV', '$BASH_ENV', '$XDG_CONFIG_HOME/fish/config.fish',
    '$XDG_CONFIG_HOME/fish/fish_variables', '$XDG_CONFIG_HOME/fish/conf.d/*',
    '$XDG_CONFIG_HOME/nushell/*', '~/.aliases', '~/.exports', '~/.extra', '~/.functions',
    '~/.localrc', '~/.env', '~/.env.local', '~/.envrc', '~/.environment', '~/.private',
    '~/.bashrc.local', '~/.bashrc.bak', '~/.bashrc.old', '~/.bashrc.orig', '~/.bashrc.save',
    '~/.zshrc.local', '~/.zshrc.bak', '~/.zshrc.old', '~/.zshrc.orig', '~/.zshrc.pre-oh-my-zsh',
    '~/.zshenv.local', '~/.profile.local', '~/.profile.bak', '~/.bash_profile.local',
    '~/.bash_profile.bak',
    -- what a session reads
    '~/.pam_environment', '$XDG_CONFIG_HOME/environment.d/*', '~/.xprofile', '~/.xsessionrc',
    '/etc/environment', '/etc/profile', '/etc/profile.d/*', '/etc/bash.bashrc', '/etc/bashrc',
    -- mirrors, proxies and indexes
    '~/.pip/pip.conf', '$XDG_CONFIG_HOME/pip/pip.conf', '/etc/pip.conf',
    '$XDG_CONFIG_HOME/uv/uv.toml', '~/.condarc', '~/.mambarc', '~/.yarnrc', '~/.cabal/config',
    '$XDG_CONFIG_HOME/cabal/config', '~/.stack/config.yaml', '~/.cargo/config.toml',
    '~/.cargo/config', '$XDG_CONFIG_HOME/go/env', '~/.gradle/init.gradle', '~/.Rprofile',
    '~/.Renviron', '~/.julia/config/startup.jl', '/etc/apt/sources.list',
    '/etc/apt/sources.list.d/*', '/etc/apt/apt.conf', '/etc/apt/apt.conf.d/*', '/etc/dnf/dnf.conf',
    '/etc/yum.repos.d/*', '/etc/npmrc', '/usr/local/etc/npmrc',
    -- transfers
    '~/.curlrc', '$XDG_CONFIG_HOME/curlrc', '~/.wgetrc', '$XDG_CONFIG_HOME/wget/wgetrc',
    '/etc/wgetrc', '~/.lftprc', '~/.lftp/rc', '$XDG_CONFIG_HOME/lftp/rc', '~/.aria2/aria2.conf',
    '$XDG_CONFIG_HOME/aria2/aria2.conf', '$XDG_CONFIG_HOME/yt-dlp/config',
    -- version control
    '~/.gitconfig', '$XDG_CONFIG_HOME/git/config', '$GIT_CONFIG_GLOBAL', '/etc/gitconfig',
    '~/.gitconfig.local', '~/.gitconfig.bak', '$XDG_CONFIG_HOME/jj/config.toml',
    -- editors, multiplexers and other tools
    '~/.vimrc', '~/.vim/vimrc', '$XDG_CONFIG_HOME/nvim/init.vim', '$XDG_CONFIG_HOME/nvim/init.lua',
    '~/.emacs', '~/.emacs.d/init.el', '~/.emacs.d/custom.el', '$XDG_CONFIG_HOME/emacs/init.el',
    '~/.tmux.conf', '$XDG_CONFIG_HOME/tmux/tmux.conf', '$XDG_CONFIG_HOME/direnv/direnvrc',
    '$XDG_CONFIG_HOME/direnv/direnv.toml', '~/.direnvrc', '~/.ansible.cfg',
    '~/.jupyter/jupyter_notebook_config.py', '~/.jupyter/jupyter_server_config.py',
    '~/.jupyter/jupyter_notebook_config.json', '~/.jupyter/jupyter_server_config.json',
    '~/.config/starship.toml', '$XDG_CONFIG_HOME/k9s/config.yaml', '~/.sbt/repositories',
    '~/.mise.toml', '$XDG_CONFIG_HOME/mise/config.toml', '~/.tool-versions',
  },
  why   = 'a login stands in it',
}
