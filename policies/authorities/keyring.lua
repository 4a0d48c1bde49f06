-- The desktop's stores of passwords: GNOME Keyring and KWallet. Most of their traffic goes over the
-- session bus, which is an authority of its own.
return record {
  name    = 'keyring',
  grants  = 'unlocks the desktop keyring and reads the passwords and keys in it',
  sockets = {
    '$XDG_RUNTIME_DIR/keyring/control', '$XDG_RUNTIME_DIR/keyring/pkcs11',
    '$XDG_CACHE_HOME/keyring-*/control', '$XDG_CACHE_HOME/keyring-*/pkcs11',
    '/tmp/keyring-*/control', '/tmp/keyring-*/pkcs11',
    '$XDG_RUNTIME_DIR/kwallet*.socket', '/tmp/kwallet*_*.socket',
  },
  env     = {
    GNOME_KEYRING_CONTROL = 'folder', GNOME_KEYRING_PID = 'name',
    PAM_KWALLET_LOGIN = 'path', PAM_KWALLET5_LOGIN = 'path',
  },
  owners  = { 'gnome-keyring-daemon', 'kwalletd5', 'kwalletd6', 'ksecretd', 'oo7-daemon' },
}
