-- Probes on files: credentials, what a later program executes, what a run may leave behind.

local TOKEN = 'token {secret}\n'
local MAIN = 'ref: refs/heads/main\n'

--- What git needs to take a folder for a repository, without git at hand.
local function repository(folder)
  return { 'file', folder .. '/HEAD', MAIN },
    { 'folder', folder .. '/objects' }, { 'folder', folder .. '/refs/heads' },
    { 'file', folder .. '/config', '[core]\n\trepositoryformatversion = 0\n' },
    { 'folder', folder .. '/hooks' }
end

local GIT = 'set -e; g() { git -c user.name=n -c user.email=e -c gc.auto=0 "$@" >/dev/null; }; '
  .. 'echo $$ > page; g add page; g commit -qm "$$"; g checkout -q -b side-$$; echo x >> page; '
  .. 'g commit -qam side; g checkout -q -; g merge -q side-$$; g gc -q; git status -s >/dev/null'

--- A repository without a work tree that names one, so that any git command in it runs a program.
local function bare(folder, mark)
  return ('cd %s && { mkdir -p objects; mkdir -p refs/heads; echo "ref: refs/heads/main" > HEAD; '
    .. 'printf "[core]\\n\\trepositoryformatversion = 0\\n\\tworktree = %s\\n\\tfsmonitor = '
    .. 'touch %s; false\\n" > config; }'):format(folder, folder, mark)
end
local function status(folder, mark)
  return ('cd %s && git status >/dev/null 2>&1; test -e %s'):format(folder, mark)
end

return {
  -- credential: one probe for each record is made in sweep.lua
  { name = 'linked-credential', row = 'credential', title = 'by a symbolic link',
    setup = { { 'file', '{home}/.netrc', TOKEN }, { 'link', '{home}/.netrc', '{plain}/link' } },
    attempt = { 'find', '{plain}/link', '{secret_hex}' }, names = 'file' },
  { name = 'plain-file', row = 'credential', title = 'a file that holds none stays readable',
    expects = 'reached', setup = { { 'file', '{plain}/page', 'text\n', '644' },
      { 'file', '{home}/notes', 'text\n' } },
    attempts = { { 'read', '{plain}/page' }, { 'read', '{home}/notes' } }, names = 'file' },

  { name = 'rewritten', row = 'rewritten', title = 'one that is renamed over',
    setup = { { 'file', '{home}/.pgpass', 'old\n' } },
    change = { { 'rewrite', '{home}/.pgpass', TOKEN } },
    attempt = { 'find', '{home}/.pgpass', '{secret_hex}' }, mode = 'hold:100', names = 'file' },
  { name = 'rewriting', row = 'rewritten', title = 'while it is rewritten again and again',
    setup = { { 'file', '{home}/.my.cnf', TOKEN } },
    change = { { 'rewriting', '{home}/.my.cnf', TOKEN } },
    attempt = { 'find', '{home}/.my.cnf', '{secret_hex}' }, mode = 'hold:800', names = 'file' },
  { name = 'late', row = 'rewritten', title = 'one that appears later',
    change = { { 'file', '{home}/.git-credentials', TOKEN } },
    attempt = { 'find', '{home}/.git-credentials', '{secret_hex}' }, mode = 'hold:100',
    names = 'file' },
  { name = 'late-folder', row = 'rewritten', title = 'one whose folder appears later',
    change = { { 'file', '{home}/.fly/config.yml', TOKEN } },
    attempt = { 'find', '{home}/.fly/config.yml', '{secret_hex}' }, mode = 'hold:100',
    names = 'file' },
  { name = 'follows', row = 'rewritten', title = 'a file beside it follows what the host writes',
    expects = 'reached', setup = { { 'file', '{home}/beside', 'first\n' } },
    change = { { 'rewrite', '{home}/beside', TOKEN } },
    attempt = { 'find', '{home}/beside', '{secret_hex}' }, mode = 'until:5000', names = 'file' },

  { name = 'present', row = 'protected', title = 'one that is there',
    setup = { { 'file', '{work}/.envrc', ':\n' }, { 'file', '{work}/.vscode/tasks.json', '{}\n' } },
    attempts = { { 'write', '{work}/.envrc' }, { 'replace', '{work}/.envrc' },
      { 'write', '{work}/.vscode/tasks.json' }, { 'create', '{work}/.vscode/settings.json' },
      { 'replace', '{work}/.vscode' } }, names = 'file' },
  { name = 'absent', row = 'protected', title = 'one that is not there yet',
    attempts = { { 'create', '{work}/.codex' }, { 'create', '{work}/.claude' },
      { 'create', '{work}/.github/workflows' } },
    setup = { { 'folder', '{work}/.github' } }, names = 'file' },
  { name = 'protected-rewritten', row = 'protected', title = 'after the host rewrites it',
    setup = { { 'file', '{work}/.tool-versions', 'old\n' } },
    change = { { 'rewrite', '{work}/.tool-versions', 'new\n' } },
    attempts = { { 'write', '{work}/.tool-versions' }, { 'replace', '{work}/.tool-versions' } },
    mode = 'settle:2000', names = 'file' },

  { name = 'git-files', row = 'git', title = 'config and hooks',
    setup = { repository '{work}/.git' },
    attempts = { { 'write', '{work}/.git/config' }, { 'replace', '{work}/.git/config' },
      { 'create', '{work}/.git/hooks/pre-commit' }, { 'replace', '{work}/.git/hooks' },
      { 'create', '{work}/.git/commondir' }, { 'create', '{work}/.git/config.worktree' } },
    names = 'file' },
  { name = 'git-renamed', row = 'git', title = 'a parent that is renamed',
    setup = { repository '{work}/.git' },
    attempt = { 'replace', '{work}/.git' } },
  { name = 'git-rewritten', row = 'git', title = 'config after the host rewrites it',
    setup = { repository '{work}/.git' },
    change = { { 'rewrite', '{work}/.git/config', '[core]\n\trepositoryformatversion = 0\n' } },
    attempts = { { 'write', '{work}/.git/config' }, { 'replace', '{work}/.git/config' } },
    mode = 'settle:2000', names = 'file' },
  { name = 'git-inner', row = 'git', title = 'worktrees, submodules and repositories below',
    setup = { { 'folder', '{work}/.git/worktrees/w' }, { 'file', '{work}/.git/HEAD', MAIN },
      repository '{work}/.git/modules/m' },
    attempts = { { 'create', '{work}/.git/worktrees/w/commondir' },
      { 'write', '{work}/.git/modules/m/config' },
      { 'create', '{work}/.git/modules/m/hooks/post-checkout' } }, names = 'file' },
  { name = 'git-below', row = 'git', title = 'a repository in a folder below',
    setup = { repository '{work}/below/.git' },
    attempts = { { 'write', '{work}/below/.git/config' },
      { 'create', '{work}/below/.git/hooks/pre-commit' } }, names = 'file' },
  { name = 'git-absent', row = 'git', title = 'a repository that is not there yet',
    start = { argv = { 'sh', '-c', 'mkdir .git && echo x > .git/config && rm -r .git' } } },
  { name = 'git-bare', row = 'git', title = 'the layout of a bare repository in the root',
    setup = { { 'folder', '{plain}/bare' } },
    control = { 'run', 'sh', '-c', bare('{plain}/bare', '{outside}/bare-control') .. '; '
      .. status('{plain}/bare', '{outside}/bare-control') },
    start = { argv = { 'sh', '-c', bare('{alone}', '{outside}/bare-mark') .. '; true' } },
    expects = 'reached',
    after = { { 'run', 'sh', '-c', status('{alone}', '{outside}/bare-mark') } } },
  { name = 'git-works', row = 'git', title = 'add, commit, checkout, merge and gc work',
    setup = { repository '{work}/.git' },
    expects = 'reached', attempt = { 'run', 'sh', '-c', GIT } },

  { name = 'shadow', row = 'of_root', title = 'password hashes and host keys',
    attempts = { { 'read', '/etc/shadow' }, { 'read', '/etc/gshadow' },
      { 'read', '/etc/ssh/ssh_host_ed25519_key' } }, names = 'file' },

  { name = 'tool-caches', row = 'private', title = 'what tools write in the home',
    expects = 'reached', setup = { { 'folder', '{home}/.cache' } }, names = 'file',
    control = { 'create', '{home}/.cache/made' }, asks = { 'write', '{home}/.cache/made' },
    attempts = { { 'run', 'sh', '-c', ': > {home}/.cache/made' } },
    after = { { 'read', '{home}/.cache/made' } } },
  { name = 'temporary', row = 'private', title = '/tmp is writable, and not the host\'s',
    expects = 'reached', control = { 'create', '/tmp/{label}' },
    names = 'file', asks = { 'create', '/tmp/{label}' },
    attempts = { { 'run', 'sh', '-c', ': > /tmp/{label}' },
      { 'run', 'sh', '-c', 'rm "$(mktemp)"' } },
    after = { { 'read', '/tmp/{label}' } }, leaves = '/tmp/{label}' },
  { name = 'tools', row = 'private', title = 'a compiler, Python and Node work',
    expects = 'reached', attempts = {
      { 'run', 'sh', '-c', 'command -v cc >/dev/null || exit 127; '
        .. 'printf "int main(void){return 0;}" > m.c && cc -o m m.c && ./m && rm m m.c' },
      { 'run', 'python3', '-c', 'import json, tempfile; tempfile.TemporaryFile()' },
      { 'run', 'node', '-e', 'require("fs").writeFileSync("n", "1")' } } },
  { name = 'names', row = 'private', title = 'names of hosts and users can be looked up',
    expects = 'reached', attempts = { { 'run', 'getent', 'hosts', 'localhost' },
      { 'run', 'getent', 'passwd', '{uid}' } } },

  { name = 'work-tree', row = 'work', title = 'the work tree', expects = 'reached',
    setup = { { 'file', '{work}/page', 'text\n' } },
    attempts = { { 'create', '{work}/new' }, { 'write', '{work}/page' },
      { 'replace', '{work}/page' } }, names = 'file' },
  { name = 'outside-tree', row = 'work', title = 'what lies outside it',
    setup = { { 'file', '{outside}/page', 'text\n' } },
    attempts = { { 'create', '{outside}/new' }, { 'write', '{outside}/page' },
      { 'replace', '{outside}/page' } }, names = 'file' },

  { name = 'absent-names', row = 'leftover', title = 'hidden and protected names that are absent',
    attempt = { 'run', 'true' }, expects = 'reached', control = { 'create', '{home}/.pypirc' },
    after = { { 'read', '{home}/.pypirc' }, { 'list', '{home}/.azure' },
      { 'list', '{work}/.claude' }, { 'list', '{work}/.codex' },
      { 'read', '{work}/.git/commondir' } } },

  { name = 'planted-link', row = 'planted_link', title = 'to a place outside the tree',
    setup = { { 'link', '{outside}/target', '{alone}/.mcp.json' },
      { 'link', '/oldroot{outside}/target', '{alone}/.envrc' },
      { 'link', '{outside}/folder', '{alone}/.claude' },
      { 'link', '.vscode', '{alone}/.vscode' } },
    control = { 'create', '{outside}/target' }, start = { argv = { 'true' } }, expects = 'reached',
    after = { { 'read', '{outside}/target' }, { 'list', '{outside}/folder' } } },

  { name = 'reopened', row = 'stdin', title = 'a file there is opened again for writing',
    attempt = { 'reopen', '0' } },
  { name = 'stdin-folder', row = 'stdin', title = 'a folder there leads to files of the host',
    setup = { { 'file', '{plain}/page', 'text\n', '644' } },
    control = { 'walk-up', '0', '{plain_below}/page' }, control_stdin = '/',
    start = { stdin = '/', argv = { '{probe}', 'try', 'walk-up', '0', '{plain_below}/page' } } },

  { name = 'many', row = 'many', title = 'three thousand names, the first and the last',
    setup = { { 'file', '{plain}/many/1', TOKEN }, { 'file', '{plain}/many/3000', TOKEN } },
    control = { 'read', '{plain}/many/3000' },
    start = { policy = { "for i = 1, 3000 do file.hide('{plain}/many/' .. i) end\n" },
      argv = { '{probe}', 'try', 'run', 'cat', '{plain}/many/3000', '{plain}/many/1' } } },
}
