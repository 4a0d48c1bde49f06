-- What the next command of Mercurial, Jujutsu, Sapling, Darcs or repo outside executes: hooks,
-- aliases, extensions and programs in a repository's settings, and in the user's where a writable
-- home holds them. Tried with Mercurial 6.3; the others' names are not tried.
-- A pattern with a plain last part keeps that name also while it is absent, in a repository that is
-- there: `.h[g]/hgrc` puts nothing into a tree without `.hg`.
return record {
  name  = 'vcs',
  files = {
    '.h[g]/hgrc', '.h[g]/hgrc-not-shared', '.h[g]/require[s]', '.h[g]/sharedpat[h]', '*/.h[g]/hgrc',
    '.rep[o]/rep[o]', '.j[j]/repo/config.toml', '.j[j]/workspace-config.toml', '.s[l]/config',
    '*/.s[l]/config',
    '_darc[s]/prefs/defaults', '~/.hgrc', '$XDG_CONFIG_HOME/hg', '~/.jjconfig.toml',
    '$XDG_CONFIG_HOME/sapling', '~/.darcs/defaults',
  },
  why   = 'the next command of version control outside executes what it names',
}
