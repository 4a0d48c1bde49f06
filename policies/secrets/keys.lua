-- Private keys and certificate authorities outside ssh and GnuPG.
return record {
  name  = 'keys',
  files = {
    '$XDG_CONFIG_HOME/sops', '$SOPS_AGE_KEY_FILE', '$XDG_CONFIG_HOME/age', '~/.age', '~/.minisign',
    '$XDG_DATA_HOME/caddy', '~/.acme.sh', '~/.lego', '~/.pki', '$XDG_DATA_HOME/pki', '~/.cert',
    '~/.globus', '/tmp/x509up_u*', '~/.tpm2_pkcs11', '$XDG_DATA_HOME/mkcert/rootCA-key.pem',
    '$CAROOT/rootCA-key.pem',
    '/etc/opendkim/keys', '/etc/dkimkeys',
  },
  why   = 'signs, decrypts or vouches for web sites as you',
}
