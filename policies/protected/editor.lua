-- Settings in the tree that an editor outside acts on when it opens a file or the folder: tasks,
-- interpreters, language servers; and the editors' own files in a writable home.
-- `.vscode` is kept also while it is absent: a folder that is trusted once takes in whatever
-- appears there. The others are patterns (`.ide[a]` matches just that name), which keep what is
-- there: for a new file these editors ask, or must be told to read it.
return record {
  name  = 'editor',
  files = {
    '.vscode', '*.code-workspace', '.devcontaine[r]', '.devcontainer.jso[n]', '.ide[a]', '.flee[t]',
    '.ze[d]', '.heli[x]', '*.sublime-project', '.exr[c]', '.vimr[c]', '.gvimr[c]', '.nvimr[c]',
    '.nvim.lu[a]', '.lvimr[c]', '.lazy.lu[a]', '.vi[m]', 'Session.vi[m]', '.v[s]', '.thei[a]',
    '.externalToolBuilder[s]', '.id[x]', '.repli[t]', '.gitpod.ym[l]', '.codesandbo[x]',
    '*/.vscod[e]', '*/.ide[a]', '.dir-locals*.el',
    '.ycm_extra_conf.p[y]', '~/.vimrc', '~/.gvimrc', '~/.exrc',
    '~/.vim', '$XDG_CONFIG_HOME/vim', '$XDG_CONFIG_HOME/nvim', '$XDG_DATA_HOME/nvim/site',
    '~/.emacs', '~/.emacs.d/init.el', '~/.emacs.d/early-init.el', '~/.emacs.d/elpa',
    '$XDG_CONFIG_HOME/emacs', '$XDG_CONFIG_HOME/kak', '$XDG_CONFIG_HOME/helix',
    '$XDG_CONFIG_HOME/zed', '~/.vscode/extensions', '~/.vscode-server/extensions',
    '~/.doom.d', '$XDG_CONFIG_HOME/doom', '~/.SpaceVim.d', '~/.spacemacs', '$XDG_CONFIG_HOME/lvim',
  },
  folders = { '.vscode' },
  why   = 'an editor outside acts on it when it opens the folder',
}
