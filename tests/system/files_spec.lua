--- Files: what is readable, what is writable, and lists whose entries are odd or not there.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local signal = require 'posix.signal'

local me = rig.me

--- All names below some folders, with their types and sizes: a run must leave them as they were.
local function snapshot(...)
  local argv = { 'find', ... }
  table.move({ '-xdev', '-printf', '%y %s %p %l\n' }, 1, 4, #argv + 1, argv)
  return process.run({ argv = argv }).out
end

describe('files, as ' .. me.as .. ':', function()
  setup(function()
    rig.fresh_work()
    place.file(me.home .. '/notes', 'plain\n', me)
    place.file(rig.work .. '/source.c', 'int main(void) { return 0; }\n', me)
  end)

  it('files that hold no authority are readable', function()
    for _, path in ipairs { '/etc/passwd', '/usr/bin/env', me.home .. '/notes',
      rig.work .. '/source.c', '/proc/self/status', '/dev/null', '/dev/urandom' } do
      assert.are.same({ path, 'reached' }, { path, rig.outside({ 'read', path }).result })
      assert.are.same({ path, 'reached' }, { path, rig.inside({ 'read', path }).result })
    end
  end)

  it('the writable root is writable, and what is written stays', function()
    local run = rig.confined { argv = { 'sh', '-c',
      'mkdir -p a/b && echo kept > a/b/c && mv a/b/c a/d && ln -s d a/e && chmod 755 a/d' } }
    assert.are.same({ 0, '' }, { run.code, run.err })
    assert.are.equal('kept\n', process.slurp(rig.work .. '/a/d'))
  end)

  it('links in the root leave what they lead to as writable as it is', function()
    local made = rig.run { 'sh', '-ec', [[
      echo a > CLAUDE.md; ln -s CLAUDE.md AGENTS.md
      mkdir -p lib releases/1; echo b > lib/x; ln -s lib to-lib; ln -s ../lib/x lib/y
      echo c > releases/1/z; ln -s releases/1 current]] }
    assert.are.same({ 0, '' }, { made.code, made.err })
    local run = rig.confined { argv = { 'sh', '-ec',
      'echo d >> CLAUDE.md; echo d >> lib/x; rm lib/x; echo d >> current/z; mv releases r' } }
    assert.are.same({ 0, '' }, { run.code, run.err })
  end)

  it('what is outside the writable root is not writable', function()
    local folders = { me.home, '/srv' }
    if me.as == 'root' then folders = { me.home, '/srv', '/etc', '/usr', '/var/lib', '/' } end
    for _, folder in ipairs(folders) do
      local attempt = { 'create', folder .. '/confine-probe-made' }
      if folder ~= '/srv' or me.as == 'root' then
        assert.are.same({ folder, 'reached' }, { folder, rig.outside(attempt).result })
      end
      assert.are.same({ folder, 'refused' }, { folder, rig.inside(attempt).result })
    end
    assert.are.equal('reached', rig.outside({ 'write', me.home .. '/notes' }).result)
    assert.are.equal('refused', rig.inside({ 'write', me.home .. '/notes' }).result)
  end)

  it('/tmp is private: writable inside, unseen outside', function()
    place.file('/tmp/outside', 'x', me)
    local run = rig.confined { argv = { 'sh', '-c', 'test ! -e /tmp/outside && echo x > /tmp/in' } }
    assert.are.same({ 0, '' }, { run.code, run.err })
    assert.is_true(not place.exists '/tmp/in')
  end)

  it('--root names a folder above the current one', function()
    place.folder(rig.work .. '/deep/er', me)
    local argv = { 'sh', '-c', 'pwd; echo x > ../top' }
    local run = rig.confined { argv = argv, cwd = rig.work .. '/deep/er',
      flags = { '--root', rig.work } }
    assert.are.same({ 0, rig.work .. '/deep/er\n', '' }, { run.code, run.out, run.err })
    assert.is_true(place.exists(rig.work .. '/deep/top'))
    run = rig.confined { argv = argv, cwd = rig.work .. '/deep/er' }
    assert.is_true(run.code ~= 0, run.out)
  end)

  it('credential files are hidden', function()
    local secrets = { '.ssh/id_ed25519', '.aws/credentials', '.docker/config.json', '.netrc',
      '.config/gh/hosts.yml', '.kube/config', '.npmrc', '.pypirc' }
    for _, name in ipairs(secrets) do
      local path = me.home .. '/' .. name
      place.folder(path:match '^(.*)/', me, path:match '^(.*)/' == me.home and 448 or nil)
      place.file(path, 'secret', me, 384)
      assert.are.same({ name, 'reached' }, { name, rig.outside({ 'read', path }).result })
    end
    for _, name in ipairs(secrets) do
      local inside = rig.inside { 'find', me.home .. '/' .. name, 'hex:736563726574' }
      assert.are.same({ name, 'refused' }, { name, inside.result })
    end
  end)

  it('a run leaves no name behind, also when its launcher is killed', function()
    rig.fresh_work()
    local before = snapshot(me.home, '/srv/etc', '/tmp', '/run')
    assert.are.equal(0, rig.confined({ argv = { 'true' } }).code)
    assert.are.equal(before, snapshot(me.home, '/srv/etc', '/tmp', '/run'))

    local run = process.start(rig.confined_command { argv = { 'sh', '-c', 'echo up; sleep 600' } })
    assert.is_true(process.poll(10, function() return process.slurp(run.out) == 'up\n' end))
    signal.kill(run.pid, signal.SIGKILL)
    local after
    process.poll(10, function()
      after = snapshot(me.home, '/srv/etc', '/tmp', '/run')
      return after == before
    end)
    process.stop(run)
    assert.are.equal(before, after)
  end)

  it("root's own secrets are hidden from root", function()
    if me.as ~= 'root' then return end
    assert.are.equal('reached', rig.outside({ 'read', '/etc/shadow' }).result)
    assert.are.equal('refused', rig.inside({ 'read', '/etc/shadow' }).result)
  end)

  it('a file and a folder that a policy hides are not readable', function()
    place.folder(me.home .. '/ledger/deep', me)
    place.file(me.home .. '/ledger/deep/page', 'secret', me)
    place.file(me.home .. '/log.jsonl', 'secret', me)
    local policy = rig.policy('hide',
      "include 'default'\nfile.hide { '~/ledger', '~/log.jsonl' }\n")
    for _, path in ipairs { me.home .. '/ledger/deep/page', me.home .. '/log.jsonl' } do
      assert.are.equal('reached', rig.outside({ 'read', path }).result)
      assert.are.equal('reached', rig.inside({ 'read', path }).result)
      local inside = rig.inside({ 'find', path, 'hex:736563726574' }, { flags = { '-p', policy } })
      assert.are.equal('refused', inside.result)
    end
  end)

  it('the folder of a hidden name in the tree cannot be renamed away', function()
    rig.fresh_work()
    place.file(place.folder(rig.work .. '/conf', me) .. '/secret', 'secret', me)
    local move = 'mv conf other && ln -s other conf && mv conf/secret other/again; '
    assert.are.equal(0, rig.run({ 'sh', '-c', move }).code)
    rig.fresh_work()
    place.file(place.folder(rig.work .. '/conf', me) .. '/secret', 'secret', me)
    local policy = rig.policy('conf', "include 'default'\nfile.hide './conf/secret'\n")
    local run = rig.confined { argv = { 'sh', '-c', move .. 'cat */*; ls -d conf other' },
      flags = { '-p', policy } }
    assert.are.equal('conf\n', run.out)
    assert.is_true(run.err:find('mv: cannot move', 1, true) ~= nil, run.err)
  end)

  it('a link on the way to what is protected cannot be replaced', function()
    rig.fresh_work()
    place.folder(rig.work .. '/gh', me)
    rig.symlink('gh', rig.work .. '/.github')
    local argv = { 'sh', '-c', 'rm .github && mkdir -p .github/workflows && echo made' }
    assert.are.equal('made\n', rig.run(argv).out)
    rig.remove(rig.work .. '/.github')
    rig.symlink('gh', rig.work .. '/.github')
    local run = rig.confined { argv = argv }
    assert.are.same({ true, '' }, { run.code ~= 0, run.out })
    assert.is_false(place.exists(rig.work .. '/.github/workflows'))
    rig.remove(rig.work .. '/.github')
  end)

  it('what decides over the next run cannot be made in a place that is granted', function()
    local config = place.folder(me.home .. '/.config', me, 448)
    local argv = { 'sh', '-c', 'cd ~/.config; mkdir confine-lua; echo > confine-lua/user.lua; '
      .. 'mkdir autostart; echo > autostart/x.desktop; echo > own' }
    assert.are.equal(0, rig.run(argv).code)
    for _, name in ipairs { '/confine-lua', '/autostart', '/own' } do
      assert.is_true(place.exists(config .. name))
      rig.remove(config .. name)
    end
    for _, how in ipairs { { flags = { '--write', config } }, { cwd = config } } do
      how.argv = argv
      rig.confined(how)
      assert.is_true(place.exists(config .. '/own'))
      assert.is_false(place.exists(config .. '/confine-lua/user.lua'))
      assert.is_false(place.exists(config .. '/autostart/x.desktop'))
      rig.remove(config .. '/own')
    end
  end)
end)

-- A command can make the tree a bare repository, whose config the next git outside executes.
describe('a bare repository in the root, as ' .. me.as .. ':', function()
  local GIT = 'git -c user.name=n -c user.email=e '
  local MAKE = 'git init -q && echo 1 > f && git add f && ' .. GIT .. 'commit -q -m one'
  local HEAD = 'echo "ref: refs/heads/master" > HEAD; '
  --- What executes, as a part of a config.
  local CORE = 'core() { printf "[core]\\n\\trepositoryformatversion=0\\n\\tbare=false\\n\\t'
    .. 'worktree=%s\\n\\tfsmonitor=\\"echo x >> %s/pwned; false\\"\\n" "$PWD" "$PWD"; }; '
  local LAYOUT = 'mkdir objects; mkdir refs; ' .. HEAD .. CORE .. 'core > config; '
  local BREAK = 'mv .git/HEAD .git/HEADx; '
  local ELSEWHERE = 'mkdir -p sub/objects sub/refs; echo sub > commondir; ' .. HEAD .. CORE
    .. 'printf "[core]\\n\\trepositoryformatversion=1\\n[extensions]\\n\\tworktreeConfig=true\\n" '
    .. '> sub/config; core > config.worktree; '
  local STATUS = 'git status >/dev/null 2>&1; test ! -e pwned'
  local FORMS = {
    { 'there is no repository', 'true', LAYOUT },
    { 'the HEAD of the repository is taken away', MAKE, BREAK .. LAYOUT },
    { 'there is an empty .git', 'mkdir .git', LAYOUT },
    { 'there is a folder refs', 'mkdir refs', LAYOUT },
    { 'there is a folder objects', MAKE .. ' && mkdir objects', BREAK .. LAYOUT },
    { 'there are folders refs and objects', 'mkdir refs objects', LAYOUT },
    { 'a commondir leads to another folder', MAKE, BREAK .. ELSEWHERE },
  }

  local has_git
  setup(function() has_git = rig.run({ 'sh', '-c', 'command -v git' }).code == 0 end)

  local function sh(text, options) return rig.run({ 'sh', '-c', text }, options) end

  for _, form in ipairs(FORMS) do
    it('cannot be made where ' .. form[1], function()
      if not has_git then return pending 'git is not installed' end
      rig.fresh_work()
      assert.are.equal(0, sh(form[2]).code)
      sh(form[3])
      assert.are.equal(1, sh(STATUS).code)
      rig.fresh_work()
      assert.are.equal(0, sh(form[2]).code)
      local run = rig.confined { argv = { 'sh', '-c', form[3] .. STATUS .. ' && echo kept' } }
      assert.are.same({ 0, 'kept\n' }, { run.code, run.out }, run.err)
      assert.are.equal(0, sh(STATUS).code)
    end)
  end

  --- A run that waits for the file `go`, does something, says so with `did` and waits for `end`.
  local function start(text, n)
    local function wait(name)
      return 'while ! test -e ' .. name .. n .. '; do sleep 0.02; done; '
    end
    local run = process.start(rig.confined_command { argv = { 'sh', '-c',
      'echo up; ' .. wait 'go' .. text .. '\n: > did' .. n .. '; ' .. wait 'end' } })
    assert.is_true(process.poll(10, function() return process.slurp(run.out) == 'up\n' end))
    return run
  end

  it('cannot be made either once another run has ended that began before', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    local first, second, third = start('true', 1), start(LAYOUT, 2), start('true', 3)
    assert.are.equal('commondir\nrefs\n', sh('ls -d refs commondir objects HEAD 2>/dev/null').out)
    assert.are.equal(0, sh('touch go1 end1').code)
    process.finish(first)
    assert.are.equal(0, sh('touch go2').code)
    assert.is_true(process.poll(10, function() return place.exists(rig.work .. '/did2') end))
    assert.are.equal(0, sh(STATUS).code)
    assert.are.equal(0, sh('rm -rf HEAD objects config; touch end2 go3 end3').code)
    process.finish(second)
    process.finish(third)
    assert.are.equal('', sh('ls -d refs commondir objects HEAD 2>/dev/null').out)
  end)

  it('is not seen in what another run has put and takes away meanwhile', function()
    rig.fresh_work()
    local again = 'for i in $(seq 15); do "$@" || exit; done'
    for _, flags in ipairs { {}, { '--write', me.home } } do
      local runs = {}
      local run = rig.confined_command { argv = { 'true' }, flags = flags }
      run.argv = { 'sh', '-c', again, 'sh', table.unpack(run.argv) }
      for i = 1, 3 do runs[i] = process.start(run) end
      for i = 1, 3 do
        local outcome = process.finish(runs[i], 60)
        assert.are.same({ 0, '' }, { outcome.code, outcome.err })
      end
    end
  end)

  it('is kept away by names that git does not see and no reader waits for', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(MAKE).code)
    local look = 'git status --porcelain -- refs commondir; '
      .. 'git add -A -n | grep -e refs -e common; '
      .. 'timeout 10 grep -r -q nowhere .; test $? = 1 || echo grep; '
      .. 'timeout 10 tar cf /tmp/t.tar . 2>/dev/null || echo tar; '
      .. 'timeout 10 cp -r . /tmp/copy || echo cp; rm -rf /tmp/copy /tmp/t.tar; '
      .. 'timeout 10 cat refs 2>/dev/null; test $? = 1 || echo cat'
    local run = start(look .. '; ls -d refs commondir', 1)
    assert.are.same({ 0, '' }, { sh('ls -d refs commondir >/dev/null && { ' .. look .. '; }').code,
      sh(look).out })
    sh 'touch go1 end1'
    local ended = process.finish(run)
    assert.are.same({ 0, 'up\ncommondir\nrefs\n' }, { ended.code, ended.out }, ended.err)
    assert.are.equal('', sh('ls -d refs commondir 2>/dev/null').out)
  end)

  it('below the root has what its config names protected too', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    local made = sh('mkdir -p p; git init -q r; git init -q p/r; git init -q .; '
      .. 'for r in r p/r; do git -C $r config include.path ../.shared; '
      .. 'git -C $r config core.hooksPath hk; mkdir $r/hk; : > $r/.git/.shared; : > $r/.shared; '
      .. 'git config -f $r/.shared core.fsmonitor ./fs; : > $r/fs; : > $r/own; done; '
      .. 'mkdir -p .git/modules a/b/c; git init -q --separate-git-dir .git/modules/m a/b/c/m; '
      .. ': > a/b/c/m/fs; m="git config -f .git/modules/m/config"; $m core.fsmonitor ./fs; '
      .. '$m core.worktree ../../../a/b/c/m')
    assert.are.equal(0, made.code, made.err)
    local run = rig.confined { argv = { 'sh', '-c', 'for f in r/.shared r/hk/x r/fs r/own '
      .. 'p/r/.shared p/r/hk/x p/r/fs a/b/c/m/fs; '
      .. 'do { echo x >> $f; } 2>/dev/null && echo $f; done' } }
    assert.are.equal('r/own\n', run.out, run.err)
  end)

  it('that a .git leads to is protected like .git itself', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    local made = sh(MAKE .. '; git clone -q --bare . sub/.bare; git clone -q --bare . .bare; '
      .. 'rm -rf .git; for d in . sub; do (cd $d; echo "gitdir: ./.bare" > .git; '
      .. 'git worktree add -q w); done; rm -r sub/.bare/hooks')
    assert.are.equal(0, made.code, made.err)
    local run = rig.confined { argv = { 'sh', '-c', [[
      for d in .bare sub/.bare; do
        git config -f $d/config core.fsmonitor 'echo x >&2; false' && echo config of $d
        (mkdir -p $d/hooks; echo > $d/hooks/post-commit) && echo hook of $d
        (echo /x > $d/worktrees/w/commondir; echo /x > $d/commondir) && echo commondir of $d
        mv $d other && echo moved $d
      done 2>/dev/null
      cd w; echo 2 > f; ]] .. GIT .. 'commit -qam two && echo done' } }
    assert.are.equal('done\n', run.out, run.err)
  end)

  it('that a link .git leads to is no hindrance to work, and protected all the same', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(MAKE .. ' && mv .git g && ln -s g .git').code)
    local run = rig.confined { argv = { 'sh', '-c', 'echo 2 > f; ' .. GIT .. 'commit -qam two && '
      .. 'echo done; for f in g/config .git/config g/hooks/x g/commondir; do { echo x >> $f; } '
      .. '2>/dev/null && echo $f; done; mv g h; rm .git' } }
    assert.are.equal('done\n', run.out, run.err)
    assert.are.equal('g\n', sh('readlink .git').out)
  end)

  it('lets git stash and clean what is not tracked, beside what stands for absent names', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(MAKE .. ' && echo more > f && echo new > new').code)
    local run = rig.confined { argv = { 'sh', '-ec', GIT .. 'stash -q -u; ls; cat f; '
      .. GIT .. 'stash pop -q; cat f new; ' .. GIT .. 'status --short; git clean -qfd; ls; '
      .. 'ls -A .claude; ! echo x > .claude/.gitignore; ! rm -r .claude' }, quiet = true }
    assert.are.equal(0, run.code, run.err)
    assert.are.equal('commondir\nf\nrefs\n1\nmore\nnew\n M f\n?? new\ncommondir\nf\nrefs\n'
      .. '.gitignore\n', run.out)
    assert.are.equal('.git\nf\n', sh('ls -A').out)
  end)

  it('is no hindrance to ordinary work with git', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(MAKE).code)
    local work = ('git checkout -q -b two && echo 2 > f && git add -A f && %scommit -qm two && '
      .. 'git checkout -q - && echo 3 > g && git add g && %scommit -qm three && '
      .. '%smerge -q -m four two && git diff HEAD && git gc -q && git fsck && git log --format=%%s')
      :format(GIT, GIT, GIT)
    local run = rig.confined { argv = { 'sh', '-ec', work } }
    assert.are.equal(0, run.code, run.err)
    assert.are.equal('f\ng\n', sh('git ls-files; git status --porcelain').out)
  end)

  it('is no writable root, nor is what lies in it or the folder of a linked work tree', function()
    if not has_git then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(MAKE .. ' && git worktree add -q tree && mkdir -p .git/hooks').code)
    for name, how in pairs { ['.git'] = 'is', ['.git/worktrees/tree'] = 'is',
      ['.git/hooks'] = 'lies in' } do
      local run = rig.confined { argv = { 'touch', 'made' }, cwd = rig.work .. '/' .. name }
      assert.are.same({ name, true, true }, { name, run.code ~= 0,
        run.err:find(how .. " a git repository's own folder", 1, true) ~= nil }, run.err)
      assert.is_false(place.exists(rig.work .. '/' .. name .. '/made'))
    end
  end)
end)

describe('odd entries in a list, as ' .. me.as .. ':', function()
  local ODD = {
    { 'missing', function() end },
    { 'in a folder that is missing', function() end, '/absent/deep/er' },
    { 'a symbolic link to a file', function(path)
      place.file(me.home .. '/real', 'secret', me)
      rig.symlink(me.home .. '/real', path)
    end },
    { 'a symbolic link to a folder', function(path)
      place.folder(me.home .. '/real-folder', me)
      rig.symlink('../real-folder', path)
    end },
    { 'a dangling symbolic link', function(path) rig.symlink('/nowhere/at/all', path) end },
    { 'a symbolic link to itself', function(path) rig.symlink(path, path) end },
    { 'a link into the old root', function(path) rig.symlink('/oldroot/etc/rig', path) end },
    { 'below a file', function(path) place.file(path:match '^(.*)/', '', me) end, '/file/below' },
    { 'below a dangling link', function(path)
      rig.symlink('/nowhere', (path:match '^(.*)/'))
    end, '/dangling/below' },
  }

  for _, word in ipairs { 'file.hide', 'file.protect', 'socket.refuse' } do
    for _, odd in ipairs(ODD) do
      it(word .. ' of a path that is ' .. odd[1] .. ' neither stops the run nor leaves a file',
        function()
          rig.fresh_work()
          rig.remove(me.home .. '/odd')
          place.folder(me.home .. '/odd', me)
          local path = me.home .. '/odd' .. (odd[3] or '/entry')
          odd[2](path)
          local policy = rig.policy('odd', ("include 'default'\n%s '%s'\n"):format(word, path))
          local before = snapshot(me.home, '/srv/etc', '/tmp', '/run')
          local run = rig.confined { argv = { 'true' }, flags = { '-p', policy } }
          assert.are.same({ 0, '' }, { run.code, run.err })
          assert.are.equal(before, snapshot(me.home, '/srv/etc', '/tmp', '/run'))
        end)
    end
  end

  it('a policy of 3,100 paths starts', function()
    rig.fresh_work()
    local many = place.folder(me.home .. '/many', me)
    local lines = { "include 'default'" }
    for i = 1, 3100 do
      local path = ('%s/entry-%04d'):format(many, i)
      if i % 2 == 0 then place.file(path, 'secret', me) end
      lines[#lines + 1] = ("file.hide '%s'"):format(path)
    end
    local policy = rig.policy('many', table.concat(lines, '\n') .. '\n')
    local run = rig.confined { flags = { '-p', policy }, timeout = 60,
      argv = { 'sh', '-c', 'cat ' .. many .. '/* | grep -c secret' } }
    assert.are.same({ 1, '0\n' }, { run.code, run.out })
  end)
end)
