-- Programs that copy files to and from other machines.
return record {
  name    = 'file_sync',
  grants  = 'copies any of your files to other machines or writes them, or shares them by a link',
  sockets = {
    '~/.mutagen/daemon/daemon.sock', '~/.docker/mutagen/daemon/daemon.sock',
    '~/.dropbox/command_socket', '~/.dropbox/iface_socket',
    '$XDG_RUNTIME_DIR/Nextcloud/socket', '$XDG_RUNTIME_DIR/ownCloud/socket',
    '$XDG_RUNTIME_DIR/maestral/*.sock', '/tmp/megaCMD_*/srv',
  },
  env     = { MUTAGEN_DATA_DIRECTORY = 'name', RCLONE_RC_ADDR = 'url', STGUIAPIKEY = 'name' },
  tcp     = { 'localhost:8384', 'localhost:5572' },
  owners  = { 'mutagen', 'dropbox', 'nextcloud', 'owncloud', 'maestral', 'mega-cmd-server' },
  secrets = {
    '$XDG_CONFIG_HOME/syncthing', '$XDG_STATE_HOME/syncthing', '~/.dropbox/instance1',
    '~/.dropbox/instance_db', '$XDG_CONFIG_HOME/Nextcloud', '$XDG_DATA_HOME/Nextcloud',
    '$XDG_DATA_HOME/maestral', '~/.megaCmd',
    '$XDG_DATA_HOME/syncthing',
  },
}
