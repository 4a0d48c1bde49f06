--- Repositories in folders that are granted beyond the root, of whatever name: what git outside
--- executes of them is not writable, and git works in them.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

local me = rig.me

local SETTLE = [[set -e; rm -rf ~/w; mkdir ~/w; cd ~/w
  git config --global user.name ada; git config --global user.email ada@example.org
  git config --global protocol.file.allow always; ]]
local COMMIT = 'set -e; git commit -q --allow-empty -m more; git branch b; git checkout -q b; '
  .. 'git commit -q --allow-empty -m b; git checkout -q -; git merge -q --no-ff b -m m; '
  .. 'git log --oneline | wc -l'

--- name; what makes it, below ~/w; root; git folder; granted, each below ~/w; what may be written:
--- a linked work tree's folder has no config
local CASES = {
  { 'a submodule, its own folder', [[git init -q lib; git -C lib commit -q --allow-empty -m first
    git init -q sup; cd sup; git submodule -q add ~/w/lib sub 2>&1; git commit -q -m s]],
    'sup/sub', 'sup/.git/modules/sub', { 'sup/.git/modules/sub' } },
  { 'a submodule of a deep name, all of them', [[git init -q lib
    git -C lib commit -q --allow-empty -m first; git init -q sup; cd sup
    git submodule -q add --name a/b/c/d ~/w/lib sub 2>&1; git commit -q -m s]],
    'sup/sub', 'sup/.git/modules/a/b/c/d', { 'sup/.git/modules' } },
  { 'a separate git dir', [[mkdir gd; git init -q --separate-git-dir gd/proj p; cd p
    git commit -q --allow-empty -m first]], 'p', 'gd/proj', { 'gd/proj' } },
  { 'the folder around one', [[mkdir gd; git init -q --separate-git-dir gd/proj p; cd p
    git commit -q --allow-empty -m first]], 'p', 'gd/proj', { 'gd' } },
  { 'one far down', [[mkdir -p gd/a/b/c; git init -q --separate-git-dir gd/a/b/c/proj p; cd p
    git commit -q --allow-empty -m first]], 'p', 'gd/a/b/c/proj', { 'gd' } },
  { 'a linked work tree, in parts', [[git init -q main; cd main
    git commit -q --allow-empty -m first; git worktree add -q ../wt 2>&1]], 'wt',
    'main/.git/worktrees/wt', { 'main/.git/worktrees/wt', 'main/.git/objects', 'main/.git/refs',
      'main/.git/logs' }, 'config\nmoved\n' },
}

--- Writes what git outside would execute into the git folder $D; each that works is named.
local BREAK = [[cd $D; w() { { echo '# x' >>$1; } 2>/dev/null && echo $1; }
  for f in config config.worktree commondir hooks/post-commit; do w $f; done
  mv config c 2>/dev/null && echo moved; mv HEAD H 2>/dev/null && mv H HEAD
  w $N; exit 0]]

local function sh(text, env) return rig.run({ 'sh', '-c', text }, { env = env }) end

describe('a repository that is granted beyond the root, as ' .. me.as .. ':', function()
  local w = me.home .. '/w'
  after_each(function() rig.remove(me.home .. '/.gitconfig') end)

  for _, case in ipairs(CASES) do
    local name, make, root, dir, granted, free = table.unpack(case)
    it(name, function()
      if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
      local flags, env = {}, { D = w .. '/' .. dir, N = w .. '/' .. root .. '/none/none' }
      for _, item in ipairs(granted) do
        table.move({ '--write', w .. '/' .. item }, 1, 2, #flags + 1, flags)
      end
      local function made() assert.are.equal(0, sh(SETTLE .. make).code) end
      rig.fresh_work()
      made()
      local all = sh(BREAK, env).out
      assert.is_truthy(all:find 'config.worktree\ncommondir\n', all)
      made()
      local function confined(text)
        return rig.confined { cwd = w .. '/' .. root, flags = flags,
          argv = { 'sh', '-c', ('D=%s; N=%s; %s'):format(env.D, env.N, text) } }
      end
      local run = confined(BREAK)
      assert.are.same({ 0, free or '' }, { run.code, run.out }, run.err)
      assert.are.equal('4\n', confined(COMMIT).out)
      -- Nothing is left that git outside would mind.
      assert.are.equal(0, rig.run({ 'git', 'status' }, { cwd = w .. '/' .. root }).code)
    end)
  end

  it('is protected where it is bare, itself or in the folder', function()
    if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
    local make = SETTLE .. [[git init -q --bare repos/x.git; git init -q --bare repos/a/plain
      mkdir p; cd p; git init -q; git commit -q --allow-empty -m first]]
    for dir, granted in pairs { ['repos/x.git'] = { 'repos', 'repos/x.git' },
      ['repos/a/plain'] = { 'repos', 'repos/a', 'repos/a/plain' } } do
      for _, folder in ipairs(granted) do
        rig.fresh_work()
        assert.are.equal(0, sh(make).code)
        local function confined(text)
          return rig.confined { cwd = w .. '/p', flags = { '--write', w .. '/' .. folder },
            argv = { 'sh', '-c', ('D=%s/%s; N=none/none; %s'):format(w, dir, text) } }
        end
        local all = sh(BREAK, { D = w .. '/' .. dir, N = 'none/none' }).out
        assert.is_truthy(all:find 'hooks/post%-commit\nmoved\n', all)
        assert.are.equal(0, sh(make).code)
        assert.are.equal('', confined(BREAK).out)
        -- Without its HEAD it is one still, and pushes work.
        assert.are.equal(0, confined('mv $D/HEAD $D/H').code)
        assert.are.equal('', confined(BREAK).out)
        local pushed = confined('mv $D/H $D/HEAD && git push -q $D HEAD:main')
        assert.are.equal(0, pushed.code, pushed.err)
      end
    end
  end)

  it('keeps what its config has git execute there', function()
    if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
    local make = SETTLE .. [[git init -q other; cd other; mkdir t; echo cat >t/c
      git config core.fsmonitor t/c; git config core.hooksPath t/hooks]]
    local try = 'cd ~/w/other; { echo x >>t/c; } 2>/dev/null && echo c; '
      .. 'mkdir t/hooks 2>/dev/null && echo hooks; mv t u 2>/dev/null && echo moved; exit 0'
    rig.fresh_work()
    assert.are.equal(0, sh(make).code)
    assert.are.equal('c\nhooks\nmoved\n', sh(try).out)
    assert.are.equal(0, sh(make).code)
    local run = rig.confined { argv = { 'sh', '-c', try }, flags = { '--write', w .. '/other' },
      env = { HOME = me.home } }
    assert.are.same({ 0, '' }, { run.code, run.out }, run.err)
  end)

  it('keeps all however many there are, or no run starts', function()
    if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
    local decoys = [[for i in $(seq %d); do mkdir -p 0$i/objects 0$i/refs
      echo ref: refs/heads/x > 0$i/HEAD; done]]
    local break_in = 'echo x >> zz.git/config; echo x > zz.git/hooks/post-receive'
    for _, is_root in ipairs { true, false } do
      rig.fresh_work()
      assert.are.equal(0, sh(SETTLE .. 'mkdir p r; git init -q --bare r/zz.git').code)
      local function confined(text)
        return rig.confined { cwd = w .. (is_root and '/r' or '/p'), argv = { 'sh', '-c',
          'cd ' .. w .. '/r; ' .. text }, flags = is_root and {} or { '--write', w .. '/r' } }
      end
      assert.are.equal(0, sh('cd ' .. w .. '/r; ' .. break_in).code)
      assert.are.equal(0, confined(decoys:format(70)).code)
      assert.are.equal(2, confined(break_in).code)
      assert.are.equal(0, confined(decoys:format(300)).code)
      local run = confined(break_in)
      assert.are.same({ 125, '' }, { run.code, run.out })
      assert.is_truthy(run.err:find('more git repositories', 1, true), run.err)
    end
  end)
end)
