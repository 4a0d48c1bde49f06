-- What entering the folder executes, or makes of a program's name: direnv, mise, asdf, autoenv.
-- For a file that is new to them direnv and mise ask, so only what is there is kept: `.envr[c]` is
-- a pattern that matches just that name. `.env` holds values, which programs only read.
-- In `.direnv` only what is sourced, or found by name, is kept: environments are built there.
return record {
  name  = 'direnv',
  files = {
    '.envr[c]', '.envrc.*', 'mise*.toml', '.mise*.toml', '.mis[e]', 'mise/config*.toml',
    '.config/mise*', '.tool-version[s]', '.autoenv*', '~/.direnvrc', '$XDG_CONFIG_HOME/direnv',
    '$XDG_CONFIG_HOME/mise', '$XDG_DATA_HOME/mise/shims', '~/.asdf/shims',
    '.direnv/*.rc', '.direnv/bi[n]',
  },
  why   = 'your shell executes it when it enters the folder',
}
