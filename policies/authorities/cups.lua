-- The printing system.
return record {
  name    = 'cups',
  grants  = 'prints, and as a member of lpadmin sets up printers, which a root daemon does',
  sockets = { '/run/cups/cups.sock', '/var/run/cups/cups.sock' },
  env     = { CUPS_SERVER = 'path-or-name' },
  tcp     = { 'localhost:631' },
  owners  = { 'cupsd' },
  secrets = { '/run/cups/certs', '/var/run/cups/certs', '/etc/cups/passwd.md5', '/var/spool/cups' },
}
