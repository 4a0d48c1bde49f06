-- Mail programs: passwords of accounts, and mail itself, by which other passwords are reset.
return record {
  name  = 'mail',
  files = {
    '~/.thunderbird', '~/.muttrc', '~/.mutt', '$XDG_CONFIG_HOME/mutt', '$XDG_CONFIG_HOME/neomutt',
    '~/.msmtprc', '$XDG_CONFIG_HOME/msmtp', '/etc/msmtprc', '~/.mbsyncrc',
    '$XDG_CONFIG_HOME/isyncrc', '~/.offlineimaprc', '$XDG_CONFIG_HOME/offlineimap',
    '~/.fetchmailrc', '$XDG_CONFIG_HOME/aerc', '$XDG_CONFIG_HOME/himalaya',
    '$XDG_DATA_HOME/evolution', '$XDG_CONFIG_HOME/evolution', '$XDG_DATA_HOME/geary',
    '$XDG_DATA_HOME/akonadi', '$XDG_CONFIG_HOME/protonmail', '~/.mail', '~/Maildir', '/var/mail',
    '/var/spool/mail', '/etc/exim4/passwd.client', '/etc/postfix/sasl_passwd',
    '/etc/postfix/sasl_passwd.db', '/etc/postfix/sasl_passwd.lmdb',
    '/etc/ssmtp/ssmtp.conf', '/etc/nullmailer/remotes', '/etc/dma/auth.conf',
  },
  why   = 'reads and sends mail as you',
}
