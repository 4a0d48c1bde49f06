-- What the next git command outside executes, without anybody naming a program.
-- Tried with git 2.39: `git status` alone runs a program that stands in `core.fsmonitor` of the
-- config, in a hook, or in the config of the folder that `commondir` names; and so it does for the
-- config and hooks of each submodule. `config.worktree` counts with `extensions.worktreeConfig`.
-- Not here, because they only choose among programs that a config names already, or hold data:
-- attributes, .gitmodules (an `update = !command` in it is refused), alternates, refs, the index.
-- A name without a star is kept also while it is absent.
return record {
  name  = 'git',
  files = {
    '.git/config', '.git/config.worktree', '.git/hooks', '.git/commondir',
    -- remotes as git wrote them long ago: whom a push goes to decides whose hooks are executed
    '.git/remotes', '.git/branches', '.git/modules/*/remotes', '.git/modules/*/branches',
    -- linked worktrees, and submodules, also those whose names hold a slash or that nest
    '.git/worktrees/*/commondir', '.git/worktrees/*/config.worktree', '.git/modules/*/config',
    '.git/modules/*/config.worktree', '.git/modules/*/hooks', '.git/modules/*/commondir',
    '.git/modules/*/*/config', '.git/modules/*/*/config.worktree', '.git/modules/*/*/hooks',
    '.git/modules/*/*/commondir',
    '.git/modules/*/modules/*/config', '.git/modules/*/modules/*/hooks',
    '.git/modules/*/modules/*/commondir',
    -- a .git that is a file leads git elsewhere, at a submodule or a linked work tree; `.gi[t]`
    -- means one that is there, and makes nothing where there is none
    '.git', '*/.gi[t]', '*/*/.gi[t]',
    -- where there are none yet: a module or work tree of a command's own
    '.git/modules', '.git/worktrees',
    -- other repositories in the tree: once one is added as a submodule, `git status` enters it
    '*/.git/config', '*/.git/config.worktree', '*/.git/hooks', '*/.git/commondir',
    '*/*/.git/config', '*/*/.git/hooks', '*/*/.git/commondir',
    -- where a writable home holds them
    '~/.gitconfig', '$XDG_CONFIG_HOME/git', '~/.githooks', '~/.git-hooks', '~/.git-templates',
    '~/.git-template',
  },
  only    = { ['.git'] = 'file', modules = 'absent', worktrees = 'absent' },
  -- what stands for an absent name: a folder for these, else a file; this one's content changes
  -- nothing
  folders = { 'hooks', 'modules', 'worktrees', 'remotes', 'branches' },
  content = { commondir = '.\n' },
  why   = 'the next git command outside executes it',
}
