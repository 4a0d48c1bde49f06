-- The Android debug bridge, and consoles of emulators.
return record {
  name    = 'adb',
  grants  = 'full control of connected Android phones and running emulators: shell, files, screen',
  env     = {
    ADB_SERVER_SOCKET = 'path-or-name', ANDROID_ADB_SERVER_ADDRESS = 'name',
    ANDROID_ADB_SERVER_PORT = 'name', ADB_VENDOR_KEYS = 'name',
  },
  tcp     = { 'localhost:5037', 'localhost:5554', 'localhost:5555' },
  owners  = { 'adb' },
  secrets = { '~/.android/adbkey', '~/.emulator_console_auth_token', '$ADB_VENDOR_KEYS' },
}
