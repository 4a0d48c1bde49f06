-- Sockets that a site lists by path alone, in /etc/confine-lua/sockets.list.
return record {
  name   = 'site_sockets',
  grants = 'what the site keeps behind the sockets of its own list',
}
