-- git's in-memory store of logins (git-credential-cache(1)).
return record {
  name    = 'git_credential_cache',
  grants  = 'reads the logins that git remembers, and so pushes wherever you may',
  sockets = { '$XDG_CACHE_HOME/git/credential/socket', '~/.git-credential-cache/socket' },
}
