-- The settings of other version control than git, in a tree that it keeps: `hg status` outside runs
-- the hooks of .hg/hgrc (tried with Mercurial 6.3). Only where there is such a tree.
return record {
  name  = 'version_control',
  files = {
    '.h[g]/hgrc', '.h[g]/requires', '.j[j]/repo/config.toml', '.s[l]/config',
    '_darc[s]/prefs/defaults', '~/.hgrc', '$XDG_CONFIG_HOME/hg', '~/.jjconfig.toml',
  },
  why   = 'the next command of it outside executes it',
}
