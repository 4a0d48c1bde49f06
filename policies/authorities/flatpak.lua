-- Flatpak's proxies, its session helper and the document portal. The portals themselves and the
-- helper that starts programs outside a sandbox are on the session bus.
return record {
  name    = 'flatpak',
  grants  = 'speaks for a Flatpak app on the buses, and reaches the documents it was given',
  sockets = {
    '$XDG_RUNTIME_DIR/.dbus-proxy/*', '$XDG_RUNTIME_DIR/.flatpak-helper/pkcs11-flatpak-*',
    '/run/flatpak/bus', '/run/flatpak/at-spi-bus',
  },
  owners  = { 'xdg-dbus-proxy', 'flatpak-session-helper' },
  secrets = { '$XDG_RUNTIME_DIR/doc' },
}
