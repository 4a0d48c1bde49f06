-- Daemons of virtual private networks.
return record {
  name    = 'vpn',
  grants  = 'connects, disconnects and reroutes the VPN of this machine, or joins it to another',
  sockets = {
    '/run/mullvad-vpn', '/var/run/mullvad-vpn', '/run/nordvpn/nordvpnd.sock',
    '/var/run/nordvpn/nordvpnd.sock', '/run/netbird.sock', '/var/run/netbird.sock',
    '/run/cloudflare-warp/warp_service', '/var/run/cloudflare-warp/warp_service',
    '/run/charon.vici', '/var/run/charon.vici', '/run/charon.ctl', '/var/run/charon.ctl',
    '/run/wireguard/*.sock', '/var/run/wireguard/*.sock', '/run/dev.firezone.client/tunnel.sock',
  },
  tcp     = { 'localhost:9993' },
  owners  = {
    'mullvad-daemon', 'nordvpnd', 'netbird', 'warp-svc', 'charon', 'charon-systemd',
    'wireguard-go', 'boringtun-cli', 'zerotier-one',
  },
  secrets = {
    '/etc/mullvad-vpn', '/var/lib/nordvpn', '/etc/netbird', '/var/lib/netbird',
    '/var/lib/cloudflare-warp', '/var/lib/zerotier-one/authtoken.secret',
    '/var/lib/zerotier-one/identity.secret', '~/.zeroTierOneAuthToken',
  },
}
