-- The way out of Windows' Subsystem for Linux into Windows.
return record {
  name    = 'wsl',
  grants  = 'runs any Windows program as the Windows user',
  sockets = { '/run/WSL/*_interop', '/var/run/WSL/*_interop' },
  env     = { WSL_INTEROP = 'path', WSLENV = 'name' },
}
