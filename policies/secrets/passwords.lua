-- Stores of passwords and one-time codes, encrypted or not.
return record {
  name  = 'passwords',
  files = {
    '~/.password-store', '$PASSWORD_STORE_DIR', '$XDG_DATA_HOME/gopass', '$XDG_CONFIG_HOME/gopass',
    '$XDG_DATA_HOME/passage', '$XDG_DATA_HOME/keyrings', '$XDG_DATA_HOME/kwalletd',
    '$XDG_CONFIG_HOME/1Password', '$XDG_CONFIG_HOME/op', '~/.op', '$XDG_CONFIG_HOME/Bitwarden',
    '$XDG_CONFIG_HOME/Bitwarden CLI', '$XDG_CONFIG_HOME/rbw', '$XDG_CONFIG_HOME/keepassxc',
    '$XDG_CACHE_HOME/keepassxc', '~/*.kdbx', '~/*.kdb', '~/Documents/*.kdbx',
    '$XDG_DATA_HOME/Enpass', '~/.lpass', '$XDG_DATA_HOME/lpass', '$XDG_CONFIG_HOME/Proton Pass',
    '~/.keeper', '$XDG_DATA_HOME/authenticator', '~/.google_authenticator',
    '$XDG_DATA_HOME/python_keyring', '$XDG_CONFIG_HOME/keybase/config.json',
    '$XDG_DATA_HOME/keybase',
  },
  why   = 'is every password you have kept',
}
