-- Running editors of the vi family that take commands: Neovim, Vim, Kakoune.
return record {
  name    = 'vim',
  grants  = 'runs any command in your open editors, and so programs outside',
  sockets = {
    '$XDG_RUNTIME_DIR/nvim.*', '/tmp/nvim.*/*/nvim.*', '/tmp/nvim*/0', '$XDG_RUNTIME_DIR/nvim/*',
    '$XDG_RUNTIME_DIR/vim/*', '/tmp/vim-*/*',
    '$XDG_RUNTIME_DIR/kakoune/*', '/tmp/kakoune-*/*', '/tmp/kakoune/*/*',
  },
  env     = { NVIM = 'path', NVIM_LISTEN_ADDRESS = 'url', KAKOUNE_SESSION = 'name' },
  owners  = { 'nvim', 'kak' },
}
