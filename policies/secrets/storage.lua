-- Remote storage and backups: logins, repository passwords and keys.
return record {
  name  = 'storage',
  files = {
    '$XDG_CONFIG_HOME/rclone', '~/.rclone.conf', '$RCLONE_CONFIG', '~/.s3cfg', '~/.s3ql',
    '~/.passwd-s3fs', '/etc/passwd-s3fs', '~/.mc', '~/.b2_account_info', '$XDG_CONFIG_HOME/borg',
    '$XDG_CONFIG_HOME/borgmatic', '$XDG_CONFIG_HOME/restic', '$RESTIC_PASSWORD_FILE',
    '$XDG_CONFIG_HOME/kopia', '~/.tarsnap.key', '~/.tarsnaprc', '~/.davfs2', '~/.smbcredentials',
    '$XDG_CONFIG_HOME/filezilla', '~/.filezilla', '~/.lftp',
    '/etc/rclone.conf', '/etc/restic', '/etc/borgmatic',
  },
  why   = 'reads, changes and deletes remote files and backups',
}
