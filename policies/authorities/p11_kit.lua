-- PKCS #11 modules served over a socket (p11-kit(8)).
return record {
  name    = 'p11_kit',
  grants  = 'signs and decrypts with the keys of the PKCS #11 tokens that are served',
  sockets = { '$XDG_RUNTIME_DIR/p11-kit/pkcs11*' },
  env     = { P11_KIT_SERVER_ADDRESS = 'dbus-address', P11_KIT_SERVER_PID = 'name' },
  owners  = { 'p11-kit-server' },
}
