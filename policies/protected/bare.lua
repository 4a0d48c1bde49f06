-- A bare repository in the root: with HEAD, objects, refs and a config of a command's making,
-- git outside takes the folder for a repository and executes what the config names. A file in place
-- of refs is enough to keep it from being one; where there is a .git, git looks no further.

return record {
  name   = 'bare',
  files  = { 'refs' },
  only   = { refs = 'absent' },
  unless = '.git',
  why    = 'git outside would take the folder for a repository',
}
