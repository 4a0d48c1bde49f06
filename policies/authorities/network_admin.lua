-- Controls of this machine's network: Wi-Fi, switches, routes, firewalls, name servers, the clock.
return record {
  name    = 'network_admin',
  grants  = 'reconfigures the network of this machine: Wi-Fi, routes, bans, names, the clock',
  sockets = {
    '/run/wpa_supplicant/*', '/var/run/wpa_supplicant/*', '/run/hostapd/*', '/var/run/hostapd/*',
    '/run/dhcpcd/sock', '/run/dhcpcd.sock',
    '/run/NetworkManager/private', '/run/NetworkManager/private-dhcp',
    '/run/openvswitch/*.sock', '/run/openvswitch/*.ctl', '/run/openvswitch/*.mgmt',
    '/var/run/openvswitch/*.sock', '/run/frr/*.vty', '/run/frr/zserv.api', '/run/bird/bird.ctl',
    '/run/bird.ctl', '/run/unbound.ctl', '/run/knot/knot.sock', '/run/knot-resolver/control/*',
    '/run/pdns/pdns.controlsocket', '/run/chrony/chronyd.sock', '/var/run/chrony/chronyd.sock',
    '/run/fail2ban/fail2ban.sock', '/var/run/fail2ban/fail2ban.sock', '/run/lldpd.socket',
    '/run/teamd/*.sock',
  },
  tcp     = { 'localhost:953', 'localhost:8953' },
  owners  = {
    'wpa_supplicant', 'hostapd', 'ovs-vswitchd', 'ovsdb-server', 'bird', 'fail2ban-server',
  },
  secrets = {
    '/etc/bind/rndc.key', '/etc/rndc.key', '/etc/unbound/unbound_control.key',
    '/etc/unbound/unbound_server.key',
  },
}
