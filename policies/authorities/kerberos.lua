-- Kerberos tickets: the credential manager, the GSS proxy and the caches on disk.
return record {
  name          = 'kerberos',
  grants        = 'logs in to every service of your Kerberos realm as you',
  sockets       = {
    '/run/.heim_org.h5l.kcm-socket', '/var/run/.heim_org.h5l.kcm-socket',
    '/run/gssproxy.sock', '/run/gssproxy.default.sock', '/var/lib/gssproxy/*.sock',
  },
  env           = { KRB5CCNAME = 'name', KRB5_KTNAME = 'name', KRB5_CLIENT_KTNAME = 'name' },
  owners        = { 'sssd_kcm', 'gssproxy', 'kcm' },
  secrets       = {
    '/tmp/krb5cc_*', '/var/tmp/krb5cc_*', '$XDG_RUNTIME_DIR/krb5cc', '$XDG_RUNTIME_DIR/krb5cc_*',
    '$KRB5CCNAME', '$KRB5_KTNAME', '$KRB5_CLIENT_KTNAME',
  },
  needs_secrets = true,
}
