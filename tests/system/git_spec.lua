--- What a command writes in its tree for git outside to execute: each attempt is made outside
--- first, where the next git command runs what it left, and then inside.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

local me = rig.me
local MARK = 'executed by git\n'

--- A repository with one commit, and `evil FILE`, which writes a program there that leaves a mark.
local MAKE = [[set -e; git init -q -b main; git config user.name ada
  git config user.email ada@example.org; git config protocol.file.allow always
  printf '%s\n' '#!/bin/sh' 'printf "#!/bin/sh\necho executed by git >%s/mark\n" "$HOME" >"$1"' \
    'chmod +x "$1"' >evil; chmod +x evil; echo a >a; git add a evil; git commit -qm first; ]]

local SUBMODULE = [[git init -q ~/other; git -C ~/other -c user.name=a -c user.email=a@b commit -q \
  --allow-empty -m s; git -c protocol.file.allow=always submodule --quiet add ~/other a1/b/c
  git commit -qm s]]

--- name, what stands before, what is tried, and the git command that would execute it.
local CASES = {
  { 'a remote as git wrote them long ago', '', 'git init -q --bare o; ./evil o/hooks/post-receive; '
    .. 'mkdir -p .git/remotes; echo "URL: $PWD/o" >.git/remotes/origin', 'git push origin main' },
  { 'one as they were before that', '', 'git init -q --bare o; ./evil o/hooks/post-receive; '
    .. 'mkdir -p .git/branches; echo "$PWD/o" >.git/branches/up', 'git push up main' },
  { 'what updates a submodule', SUBMODULE .. '\ngit config submodule.a1/b/c.update "!./upd.sh"; '
    .. 'echo true >upd.sh', './evil upd.sh; cp upd.sh a1/b/c; git -C a1/b/c -c user.name=a '
    .. '-c user.email=a@b commit -q --allow-empty -m t', 'git submodule update' },
  { 'a program behind a substitution', 'mkdir t; echo cat >t/c; chmod +x t/c; '
    .. 'echo "a filter=f" >.gitattributes; git add -A; git commit -qm f; git config '
    .. [[filter.f.clean '"$(git rev-parse --show-toplevel)/t/c"']],
    './evil t/c; touch -d tomorrow a', 'git status' },
  { 'one behind cd', "mkdir t; echo cat >t/c; git config alias.x '!cd t && ./c'", './evil t/c',
    'git x' },
  { 'one whose name holds a blank', [[mkdir 'my t'; git config alias.x '!"./my t/c"']],
    './evil "my t/c"', 'git x' },
  { 'one behind a default', [[mkdir t; git config alias.x '!${NOTHING:-.}/t/c']],
    './evil t/c', 'git x' },
  { 'one that is a value', 'mkdir t; git remote add origin h:x; git config core.sshCommand '
    .. '"ssh -o BatchMode=yes -o ProxyCommand=./t/p"', './evil t/p', 'git fetch' },
  { 'a module of Python', 'mkdir t; : >t/m.py; git config alias.x "!python3 -m t.m"',
    [[echo "import os; os.system('echo executed by git >\$HOME/mark')" >t/m.py]], 'git x' },
  { 'the config of a submodule with a deep name', SUBMODULE, 'git config -f '
    .. '.git/modules/a1/b/c/config core.fsmonitor "echo executed by git >$HOME/mark; false"',
    'git status' },
  { 'the .git of such a submodule', SUBMODULE, 'mkdir e; cp -r .git/modules/a1/b/c e/g; '
    .. 'g="git config -f e/g/config"; $g core.worktree ../../a1/b/c; $g core.fsmonitor '
    .. '"echo executed by git >$HOME/mark; false"; echo "gitdir: ../../../e/g" >a1/b/c/.git',
    'git status' },
  { 'a bare repository that is a remote', 'git init -q --bare p/q/r/o.git; '
    .. 'git remote add origin ./p/q/r/o.git', './evil p/q/r/o.git/hooks/post-receive',
    'git push origin main' },
  { 'a bare repository near the top', 'git init -q --bare p/o', './evil p/o/hooks/post-receive',
    'git push ./p/o main' },
  { 'a config with a byte order mark', [[{ printf '\357\273\277[core]\nhooksPath=hk\n'
    cat .git/config; } >c; mv c .git/config; mkdir hk]], './evil hk/pre-commit',
    'git commit --allow-empty -qm x' },
  { "what the user's config names in another repository", [[git init -q n; mkdir n/.gh
    git config -f ~/.gitconfig core.hooksPath .gh]], './evil n/.gh/pre-commit',
    'git -C n -c user.name=a -c user.email=a@b commit --allow-empty -qm x' },
}

describe('git outside executes nothing of what a command wrote, as ' .. me.as .. ':', function()
  local mark = me.home .. '/mark'

  --- What is left behind by the git command after an attempt that is made by `run`.
  local function left_by(run, before, attempt, trigger)
    rig.fresh_work()
    rig.remove(mark)
    rig.remove(me.home .. '/other')
    local made = rig.run({ 'sh', '-c', MAKE .. before }, { cwd = rig.work })
    assert.are.equal(0, made.code, made.err)
    run { argv = { 'sh', '-c', attempt }, env = { HOME = me.home } }
    rig.run({ 'sh', '-c', trigger }, { cwd = rig.work })
    local out = rig.run({ 'cat', mark }).out
    rig.remove(mark)
    return out
  end

  local function outside(options) return rig.run(options.argv, { cwd = rig.work }) end

  after_each(function() rig.remove(me.home .. '/.gitconfig') end)

  for _, case in ipairs(CASES) do
    local name, before, attempt, trigger = table.unpack(case)
    it(name, function()
      if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
      assert.are.equal(MARK, left_by(outside, before, attempt, trigger))
      assert.are.equal('', left_by(rig.confined, before, attempt, trigger))
    end)
  end
end)
