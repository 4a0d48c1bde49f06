-- `file`: files and folders; the root is readable, the writable root writable, the rest is here.

return {
  {
    name = 'file.hide', side = 'refuse', takes = 'paths', options = { 'why', 'except' },
    doc = 'Hides a file, or a folder with all below it. '
      .. '`except` names what below it stays visible.',
    examples = {
      { text = "file.hide '/srv/ledger.jsonl'" },
      { text = "file.hide { '~', except = { '.' }, why = 'only the work tree is needed' }" },
    },
  },
  {
    name = 'file.protect', side = 'refuse', takes = 'paths', options = { 'why', 'except' },
    doc = 'Keeps a file or folder readable but not writable and not replaceable, '
      .. 'also while it is absent. `except` names what below it stays as it is granted.',
    examples = { { text = "file.protect { '.git/hooks', why = 'git runs them outside' }" } },
  },
  {
    name = 'file.read', side = 'grant', takes = 'exact_paths', options = { 'why' },
    doc = 'Shows again what a default hides, when it names that path or one below it. '
      .. 'What shows again is not writable for a grant above it, and in a private place it is '
      .. "the host's.",
    examples = { { text = "file.read '~/.ssh/known_hosts'" } },
  },
  {
    name = 'file.write', side = 'grant', takes = 'exact_paths', options = { 'why' },
    doc = 'Makes a path of the host writable; lifts defaults like file.read.',
    examples = { { text = "file.write '/srv/results'" } },
  },
  {
    name = 'file.private', side = 'grant', takes = 'exact_paths',
    options = { 'why', 'keep', 'empty' },
    doc = 'Writes go to a private layer that is thrown away (`keep = true`: kept per work tree; '
      .. "`empty = true`: nothing of the host's shows). What is hidden by default is empty then. "
      .. 'A layer may name the writable root itself.',
    examples = { { text = "file.private { '~/.cache', '~/.npm' }" } },
  },
}
