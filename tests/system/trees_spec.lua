--- What is protected beyond the names in the root: behind links, in the repository that a .git file
--- leads to, in other trees that are granted.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me

describe('what links in protected folders lead to, as ' .. me.as .. ':', function()
  local MAKE = [[mkdir -p .git/hooks .vscode .claude/hooks s d
    cd s && echo a > hook && echo a > x && cd ..
    ln -s ../../s/hook .git/hooks/post-commit && ln -s ../s/x .vscode/settings.json
    ln -s ../../d .claude/hooks/d && ln -s ../../s/later .claude/hooks/later
    ln -s ../s/hook s/to-hook]]
  local WRITE = [[for f in s/hook s/x d/new s/later; do echo b > $f && echo $f; done 2>/dev/null
    mv s t 2>/dev/null && echo moved; echo b > s/other && echo other]]

  it('is not writable, present or absent', function()
    rig.fresh_work()
    assert.are.equal(0, rig.run({ 'sh', '-c', MAKE }).code)
    assert.are.equal('s/hook\ns/x\nd/new\ns/later\nmoved\n',
      rig.run({ 'sh', '-c', WRITE }).out)
    rig.fresh_work()
    assert.are.equal(0, rig.run({ 'sh', '-c', MAKE }).code)
    assert.are.equal('other\n', rig.confined({ argv = { 'sh', '-c', WRITE } }).out)
    for _, name in ipairs { 's/hook', 's/x', 'd/new', 's/later' } do
      local said = rig.run({ rig.program, 'explain', name }).out
      assert.is_truthy(said:find ': protected\n', said)
    end
  end)
end)

describe('links in protected folders that are not followed, as ' .. me.as .. ':', function()
  it('are named: to the whole tree, and more than are looked at', function()
    rig.fresh_work()
    assert.are.equal(0, rig.run({ 'sh', '-c', [[mkdir -p .vscode .claude/a/b/c
      ln -s .. .vscode/up; cd .claude/a/b/c && ln -s ../../../../x deep]] }).code)
    local bounds = me.home .. '/bounds.json'
    rig.remove(bounds)
    local run = rig.confined { argv = { 'touch', 'made' }, flags = { '--bounds', bounds } }
    assert.are.same({ 0, '' }, { run.code, run.err })
    local text = process.slurp(bounds)
    assert.is_truthy(text:find('to all of the work tree', 1, true), text)
    assert.is_truthy(text:find('"path": "' .. rig.work .. '/.claude"', 1, true), text)
  end)
end)

describe('names in the tree that nobody can make, as ' .. me.as .. ':', function()
  it('stop no run, and hide nothing', function()
    if rig.run({ 'sh', '-c', 'command -v git' }).code ~= 0 then
      return pending 'git is not installed'
    end
    local long, deep = ('a'):rep(300), ('a/'):rep(3000)
    for _, make in ipairs {
      'git init -q n; printf "[include]\npath = %s\n" "$DEEP" >>n/.git/config',
      'git init -q n; git -C n config core.hooksPath "$LONG"',
      'mkdir n; ln -s "$LONG" .vscode',
      'mkdir n; ln -s "$(printf "%s" "$DEEP" | head -c 4090)" .vscode' } do
      rig.fresh_work()
      local env = { LONG = long, DEEP = deep }
      assert.are.equal(0, rig.run({ 'sh', '-c', make }, { env = env }).code)
      local run = rig.confined { argv = { 'touch', 'n/made' } }
      assert.are.same({ make, 0, '' }, { make, run.code, run.err })
      assert.is_true(place.exists(rig.work .. '/n/made'))
    end
  end)

  it('are passed over in a variable', function()
    rig.fresh_work()
    local many = {}
    for i = 1, 600 do many[i] = '/srv/kube/config-' .. i end
    for _, value in ipairs { table.concat(many, ':'), '/srv/' .. ('a'):rep(300),
      ('/a'):rep(3000) } do
      local run = rig.confined { argv = { 'true' }, env = { KUBECONFIG = value } }
      assert.are.same({ 0, '' }, { run.code, run.err })
    end
  end)
end)

describe('a repository that a .git file leads to, as ' .. me.as .. ':', function()
  local MAKE = [[git init -q first && cd first && git config user.name ada &&
    git config user.email ada@example.org && git commit -q --allow-empty -m first && cd .. &&
    git clone -q --bare first .bare && rm -rf first && echo 'gitdir: ./.bare' > .git &&
    git config user.name ada && git config user.email ada@example.org &&
    git worktree add -q two 2>&1]]
  local BREAK = [[git config -f .bare/config core.fsmonitor 'touch ran; false'
    echo 'touch ran' > .bare/hooks/post-commit; chmod +x .bare/hooks/post-commit
    mv .bare/config .bare/c; ]]
  local COMMIT = 'cd two && git commit -q --allow-empty -m more && git log --oneline | wc -l'

  it('keeps its config and hooks, and takes commits', function()
    if rig.run({ 'sh', '-c', 'command -v git' }).code ~= 0 then
      return pending 'git is not installed'
    end
    rig.fresh_work()
    local made = rig.run { 'sh', '-c', MAKE }
    assert.are.equal(0, made.code, made.err)
    local config = process.slurp(rig.work .. '/.bare/config')
    local run = rig.confined { argv = { 'sh', '-c', BREAK .. COMMIT } }
    assert.are.equal('2\n', run.out, run.err)
    assert.are.equal(config, process.slurp(rig.work .. '/.bare/config'))
    assert.is_false(place.exists(rig.work .. '/.bare/hooks/post-commit'))
    rig.run { 'sh', '-c', BREAK }
    assert.is_true(place.exists(rig.work .. '/.bare/hooks/post-commit'))
  end)
end)

describe('another tree that is granted, as ' .. me.as .. ':', function()
  local MAKE = [[rm -rf ~/other ~/linked && git init -q ~/other && cd ~/other &&
    git config user.name ada && git config user.email ada@example.org &&
    git commit -q --allow-empty -m first && git worktree add -q ../linked 2>&1 &&
    mkdir .claude .vscode && echo '{}' > .claude/settings.json]]
  local BREAK = [[cd ~/other; git config core.fsmonitor 'touch ran; false'
    echo 'touch ran' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit
    echo '{ }' > .claude/settings.json; mkdir -p .git/modules/x; echo > .vscode/tasks.json]]
  local COMMIT = '\ncd ~/linked && git commit -q --allow-empty -m second && '
    .. 'git log --oneline | wc -l'
  local NAMES = { '.git/config', '.git/hooks/post-commit', '.claude/settings.json',
    '.vscode/tasks.json' }

  local function state()
    local out = {}
    for i, name in ipairs(NAMES) do
      out[i] = process.slurp(me.home .. '/other/' .. name) or false
    end
    return out
  end
  local function sh(text) return rig.run { 'sh', '-c', text } end

  it('is named at the start where the root is its linked work tree', function()
    if sh('command -v git').code ~= 0 then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh(MAKE).code)
    local line = ('git cannot write here: the repository of this work tree lies in %s/other/.git; '
      .. '--write %s/other/.git lets it'):format(me.home, me.home)
    local function commit(flags)
      return rig.confined { cwd = me.home .. '/linked', says = true, flags = flags,
        argv = { 'git', 'commit', '-q', '--allow-empty', '-m', 'second' } }
    end
    local run = commit {}
    assert.are.equal(128, run.code)
    assert.is_truthy(run.err:find(line, 1, true), run.err)
    run = commit { '--write', me.home .. '/other/.git' }
    assert.are.equal(0, run.code, run.err)
    assert.is_nil(run.err:find('git cannot write here', 1, true))
  end)

  it('is not named where the root is a repository of its own within another', function()
    if sh('command -v git').code ~= 0 then return pending 'git is not installed' end
    rig.fresh_work()
    assert.are.equal(0, sh('git init -q . && mkdir in plain && git init -q in').code)
    for folder, is_named in pairs { ['in'] = false, plain = true } do
      local run = rig.confined { cwd = rig.work .. '/' .. folder, says = true, argv = { 'true' } }
      assert.are.same({ folder, is_named },
        { folder, run.err:find('git cannot write here', 1, true) ~= nil })
    end
  end)

  it('is proposed where a repository is, and nothing else that a .git names', function()
    local ssh, home = me.home .. '/.ssh', me.home
    sh 'mkdir -p ~/.ssh ~/plain; : >~/plain/HEAD; : >~/file'
    for make, wanted in pairs {
      ['echo "gitdir: $HOME/.ssh" >.git'] = ssh .. ', is hidden (policies/secrets/ssh.lua)',
      ['ln -s ~/.ssh .git'] = ssh .. ', is hidden (policies/secrets/ssh.lua)',
      ['echo "gitdir: /" >.git'] = '/, is no repository',
      ['echo "gitdir: ../plain" >.git'] = home .. '/plain, is no repository',
      ['echo "gitdir: ../file" >.git'] = home .. '/file, is no repository',
      ['echo "gitdir: ../none" >.git'] = home .. '/none, is no repository',
      ['mkdir x; echo "gitdir: x" >.git; echo /etc >x/commondir'] = '/etc, is no repository',
      ['mkdir ../objects; : >../HEAD; echo "gitdir: .." >.git'] = home .. ', contains your home',
    } do
      rig.fresh_work()
      sh(make)
      local run = rig.confined { says = true, argv = { 'true' } }
      sh 'rm -rf ../HEAD ../objects'
      local said = run.err:match 'git cannot write here: [^\n]*'
      assert.are.same({ make, 0, 'git cannot write here: what .git names, ' .. wanted },
        { make, run.code, said })
      assert.is_nil(run.err:find('--write', 1, true))
    end
  end)

  for _, granted in ipairs { '/other', '/other/.git' } do
    it('keeps what is protected in it, and takes commits: ' .. granted, function()
      if sh('command -v git').code ~= 0 then return pending 'git is not installed' end
      rig.fresh_work()
      assert.are.equal(0, sh(MAKE).code)
      local before = state()
      sh(BREAK)
      for i = 1, #NAMES do assert.are_not.equal(before[i], state()[i]) end
      assert.is_true(place.exists(me.home .. '/other/.git/modules/x'))
      assert.are.equal(0, sh(MAKE).code)
      before = state()
      local run = rig.confined { argv = { 'sh', '-c', BREAK .. COMMIT },
        flags = { '--write', me.home .. granted, '--write', me.home .. '/linked' } }
      assert.are.same({ '2\n', before }, { run.out, state() }, run.err)
      assert.is_false(place.exists(me.home .. '/other/.git/modules/x'))
    end)
  end
end)
