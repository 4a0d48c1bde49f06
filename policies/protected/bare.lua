-- A bare repository in the root: with HEAD, objects, refs and a config of a command's making,
-- git outside takes the folder for a repository and executes what the config names. It is none
-- without HEAD, or while objects or refs cannot be searched; a commondir leads to them elsewhere
-- (is_git_directory in git's setup.c). A .git changes nothing: once its HEAD is gone, which a
-- command may remove, git looks further.
-- Not HEAD, as long as another is absent: with a file of that name `git diff HEAD` is ambiguous.
return record {
  name         = 'bare',
  files        = { 'commondir', 'refs', 'objects', 'HEAD' },
  first_absent = { 'refs', 'objects', 'HEAD' },
  -- sockets, which git neither shows nor adds
  sockets      = { 'commondir', 'refs', 'objects', 'HEAD' },
  why          = 'git outside would take the folder for a repository',
}
