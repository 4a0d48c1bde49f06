-- Logins of version control and code hosting. Settings that hold no login (`~/.gitconfig`) stay
-- readable.
return record {
  name  = 'git',
  files = {
    '~/.git-credentials', '$XDG_CONFIG_HOME/git/credentials', '~/.gitcookies', '~/.gcm',
    '$XDG_CONFIG_HOME/gh', '$GH_CONFIG_DIR', '$XDG_CONFIG_HOME/glab-cli', '$GLAB_CONFIG_DIR',
    '$XDG_CONFIG_HOME/hub', '~/.gist', '$XDG_CONFIG_HOME/tea', '$XDG_DATA_HOME/forgejo-cli',
    '$XDG_CONFIG_HOME/hut', '~/.subversion/auth', '~/.hgrc', '~/.cvspass', '~/.arcrc',
    '~/.circleci', '~/.travis', '~/actions-runner/.credentials',
    '~/actions-runner/.credentials_rsaparams', '~/.gitlab-runner',
    '$XDG_CONFIG_HOME/hg/hgrc', '$XDG_CONFIG_HOME/graphite', '~/.semgrep/settings.yml',
    '~/.transifexrc', '$XDG_CONFIG_HOME/.jira', '~/.earthly/auth.token',
    '~/.buildkite-agent/buildkite-agent.cfg', '~/.actrc', '$XDG_CONFIG_HOME/act/actrc',
    -- what tools and editors leave beside them
    '~/.git-credentials?*',
  },
  why   = 'pushes to repositories and starts their pipelines as you',
}
