-- This machine's own secrets: password hashes, host keys, keytabs, disk keys, credentials handed to
-- services. A run as uid 0 could read them; for everybody else they are closed anyway.
return record {
  name  = 'system',
  files = {
    '/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/security/opasswd',
    '/etc/ssh/ssh_host_*_key', '/etc/dropbear', '/etc/ssl/private', '/etc/pki/tls/private',
    '/etc/pki/consumer', '/etc/pki/entitlement', '/etc/letsencrypt', '/var/lib/acme',
    '/var/lib/caddy', '/etc/krb5.keytab', '/etc/krb5kdc', '/var/kerberos', '/var/lib/sss/secrets',
    '/var/lib/sss/db', '/etc/sssd/sssd.conf', '/etc/sssd/conf.d', '/var/lib/samba/private',
    '/etc/samba/smbpasswd', '/etc/ldap.secret', '/etc/nslcd.conf', '/etc/sudo-ldap.conf',
    -- copies that tools make of them, and passwords that packages asked for
    '/etc/nshadow', '/etc/shadow[+.]*', '/etc/gshadow[+.]*', '/var/backups/shadow*',
    '/var/backups/gshadow*', '/var/cache/debconf/passwords.dat*',
    -- credentials handed to services and containers
    '/run/secrets', '/var/run/secrets', '/run/secrets.d', '/run/secrets-for-users', '/run/agenix',
    '/run/agenix.d', '/run/credentials', '$CREDENTIALS_DIRECTORY', '/etc/credstore',
    '/etc/credstore.encrypted', '/var/lib/systemd/credential.secret', '/var/lib/sops-nix',
    -- disks and boot
    '/etc/cryptsetup-keys.d', '/var/lib/sbctl', '/var/lib/shim-signed/mok', '/var/lib/dkms/mok.key',
    -- memory of programs that crashed
    '/var/lib/systemd/coredump', '/var/crash',
    -- what the cloud and the house gave this machine
    '/var/lib/cloud/instance', '/var/lib/cloud/instances', '/var/lib/cloud/seed',
    '/run/cloud-init/instance-data-sensitive.json', '/var/lib/waagent', '/var/lib/amazon/ssm/Vault',
    '/etc/boto.cfg', '/var/lib/ubuntu-advantage/private', '/root/anaconda-ks.cfg',
    -- services
    '/etc/mysql/debian.cnf', '/etc/gitlab-runner', '/etc/buildkite-agent',
    '/var/lib/jenkins/secrets', '/etc/corosync/authkey', '/etc/pve/priv', '/etc/ceph/*.keyring',
    '/etc/salt/pki', '/etc/puppetlabs/puppet/ssl', '/etc/consul.d', '/etc/nomad.d', '/etc/vault.d',
    '/etc/pgbouncer/userlist.txt', '/etc/sasldb2',
    '/etc/nginx/ssl', '/etc/dovecot/private', '/etc/xrdp/key.pem', '/etc/step-ca',
    '/etc/datadog-agent', '/etc/grafana/grafana.ini',
  },
  why   = 'is this machine: its accounts, its identity, its disks',
}
