--- GNOME's keyring, unlocked, with its ssh agent, on a session bus of its own.
return {
  packages = { 'gnome-keyring', 'dbus' },
  programs = { 'gnome-keyring-daemon', 'dbus-run-session' },
  start = function(account)
    local folder = account.runtime .. '/keyring'
    return {
      argv = {
        'dbus-run-session', '--', 'sh', '-c',
        'printf pw | gnome-keyring-daemon --foreground --unlock --components=secrets,pkcs11,ssh',
      },
      sockets = { folder .. '/control', folder .. '/pkcs11', folder .. '/ssh' },
      ready = { { 'agent', folder .. '/ssh' }, { 'keyring', folder .. '/control' } },
      exports = { SSH_AUTH_SOCK = folder .. '/ssh', GNOME_KEYRING_CONTROL = folder },
    }
  end,
}
