-- GnuPG's daemons. The agent's ssh socket is in `ssh_agent`; the keys themselves are hidden by
-- `secrets/gpg.lua`, so a grant hands out their use and not the files.
return record {
  name    = 'gpg_agent',
  grants  = 'decrypts and signs with your GnuPG keys and smart cards, and can have keys exported',
  sockets = {
    '$XDG_RUNTIME_DIR/gnupg/S.gpg-agent', '$XDG_RUNTIME_DIR/gnupg/S.gpg-agent.extra',
    '$XDG_RUNTIME_DIR/gnupg/S.gpg-agent.browser', '$XDG_RUNTIME_DIR/gnupg/S.scdaemon',
    '$XDG_RUNTIME_DIR/gnupg/S.keyboxd', '$XDG_RUNTIME_DIR/gnupg/S.dirmngr',
    '$XDG_RUNTIME_DIR/gnupg/S.uiserver',
    -- another GNUPGHOME has its sockets in a folder named by a hash
    '$XDG_RUNTIME_DIR/gnupg/d.*/S.gpg-agent', '$XDG_RUNTIME_DIR/gnupg/d.*/S.gpg-agent.extra',
    '$XDG_RUNTIME_DIR/gnupg/d.*/S.gpg-agent.browser', '$XDG_RUNTIME_DIR/gnupg/d.*/S.scdaemon',
    '$XDG_RUNTIME_DIR/gnupg/d.*/S.keyboxd', '$XDG_RUNTIME_DIR/gnupg/d.*/S.dirmngr',
    -- where /run/user does not exist
    '/run/gnupg/user/*/gnupg/S.*', '/var/run/gnupg/user/*/gnupg/S.*',
    '~/.gnupg/S.gpg-agent', '~/.gnupg/S.gpg-agent.extra', '~/.gnupg/S.gpg-agent.browser',
    '~/.gnupg/S.scdaemon', '~/.gnupg/S.keyboxd', '~/.gnupg/S.dirmngr', '~/.gnupg/S.uiserver',
    '/tmp/gpg-*/S.gpg-agent', '$XDG_RUNTIME_DIR/keyring/gpg',
    '/var/cache/gnupg/S.dirmngr',
  },
  env     = { GNUPGHOME = 'gpg-home', GPG_AGENT_INFO = 'gpg-info' },
  owners  = { 'gpg-agent', 'keyboxd', 'scdaemon', 'dirmngr' },
}
