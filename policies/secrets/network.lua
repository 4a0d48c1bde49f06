-- Keys and passwords of this machine's networks. Most can be read by root only.
return record {
  name  = 'network',
  files = {
    '/etc/wireguard', '/etc/NetworkManager/system-connections',
    '/run/NetworkManager/system-connections', '/etc/netplan', '/etc/wpa_supplicant',
    '/etc/wpa_supplicant.conf', '/var/lib/iwd', '/var/lib/connman', '/etc/openvpn',
    '/etc/ipsec.secrets', '/etc/ipsec.d/private', '/etc/swanctl/private', '/etc/ppp/chap-secrets',
    '/etc/ppp/pap-secrets', '/etc/cloudflared', '/var/lib/bluetooth', '/etc/davfs2/secrets',
    '/etc/samba/credentials', '/etc/rsyncd.secrets', '/var/lib/tor', '$XDG_CONFIG_HOME/openvpn',
    '/etc/snmp/snmpd.conf', '/var/lib/snmp/snmpd.conf', '/etc/nebula', '/etc/tinc/*/rsa_key.priv',
    '/etc/tinc/*/ed25519_key.priv',
  },
  why   = 'joins the networks of this house',
}
