-- Hook managers: where one is installed, its file in the tree says what `git commit` and `git push`
-- execute. Without an installed hook such a file does nothing, so only what is there is kept: a
-- pattern such as `.husk[y]` matches just that name, and nothing while it is absent.
return record {
  name  = 'hooks',
  files = {
    '.husk[y]', '.githook[s]', '.git-hook[s]', '.pre-commit-config.yam[l]', '.lefthook*',
    'lefthook*.yml', 'lefthook*.yaml', 'lefthook*.toml', '.overcommit.ym[l]', '.simple-git-hooks*',
    'captainhook.jso[n]', 'prek.tom[l]',
    'lefthook*.json', '.config/lefthook*',
  },
  why   = 'git runs it outside at the next commit',
}
