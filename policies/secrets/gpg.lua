-- GnuPG and other OpenPGP programs: private keys, revocations, trust, exported copies. To check
-- signatures a command needs `file.read '~/.gnupg/pubring.kbx'`.
return record {
  name  = 'gpg',
  files = {
    '~/.gnupg', '$GNUPGHOME', '$XDG_DATA_HOME/gnupg', '$XDG_CONFIG_HOME/gnupg',
    '$XDG_DATA_HOME/sequoia', '$XDG_DATA_HOME/pgp.cert.d', '~/.caff',
  },
  why   = 'signs and decrypts as you',
}
