--- What a command leaves behind: nothing that somebody outside executes later. Each is done outside
--- first, where it works, and then inside.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

local me = rig.me

local function sh(text, options) return rig.run({ 'sh', '-c', text }, options) end

describe('what git outside is told to execute, as ' .. me.as .. ':', function()
  local GIT = 'git config --global user.name n; git config --global user.email e; '
  local HOOK = 'mkdir -p %s; printf "#!/bin/sh\\n: > /srv/fired/x\\n" > %s/pre-commit; '
    .. 'chmod +x %s/pre-commit'
  local COMMIT = 'date +%N >> f; git add f; git commit -q -m x; test ! -e /srv/fired/x'
  local function hook(folder) return (HOOK:gsub('%%s', folder)) end

  local CASES = {
    { 'by a config that another includes', 'git config include.path ../more; '
      .. 'printf "[core]\\n\\thooksPath = hk\\n" > more', hook 'hk' },
    { 'by a line with a comment', 'printf "[core]\\n\\thooksPath = hk # ours\\n" >> .git/config',
      hook 'hk' },
    { 'by the config of a work tree', 'git config extensions.worktreeConfig true; '
      .. 'git config --worktree core.hooksPath hk', hook 'hk' },
    { "by the user's config", 'git config --global core.hooksPath .hk', hook '.hk' },
    { 'by a script without a slash', "git config filter.s.clean 'sh strip.sh'; "
      .. "echo '* filter=s' > .gitattributes; echo cat > strip.sh; git add strip.sh",
      'echo ": > /srv/fired/x; cat" > strip.sh' },
    { 'in a linked work tree', 'git config core.hooksPath hk; git worktree add -q ../linked 2>&1',
      hook 'hk', '/linked' },
    { 'in a subfolder', 'git config core.hooksPath sub/hk; mkdir sub; cp f sub', hook 'hk',
      '/sub' },
  }

  local has_git
  setup(function()
    rig.fresh_work()
    has_git = sh('command -v git').code == 0
  end)
  before_each(function() place.folder('/srv/fired', me) end)
  after_each(function()
    rig.remove '/srv/fired'
    rig.remove(me.home .. '/.gitconfig')
    rig.remove(me.home .. '/linked')
  end)

  --- A repository as the case has it.
  -- @return the folder to work in
  local function prepare(case)
    rig.fresh_work()
    rig.remove(me.home .. '/linked')
    local made = sh(GIT .. 'git init -q; echo 1 > f; git add f; git commit -q -m one; ' .. case[2])
    assert.are.same({ 0, '' }, { made.code, made.err })
    local at = case[4] or ''
    return at == '/linked' and me.home .. at or rig.work .. at
  end

  for _, case in ipairs(CASES) do
    it('is not for a command to write: ' .. case[1], function()
      if not has_git then return pending 'git is not installed' end
      local cwd = prepare(case)
      sh(case[3], { cwd = cwd })
      assert.are.equal(1, sh(COMMIT, { cwd = cwd }).code)
      rig.remove '/srv/fired/x'
      cwd = prepare(case)
      rig.confined { argv = { 'sh', '-c', case[3] }, cwd = cwd }
      assert.are.equal(0, sh(COMMIT, { cwd = cwd }).code)
    end)
  end
end)

describe('in a place that is granted, as ' .. me.as .. ',', function()
  local RENAME = 'mkdir t; echo x > t/%s; mv t %s'

  --- @param how of the run: flags, cwd
  local function cannot_make(folder, leaf, how)
    rig.remove(folder)
    local above = folder:match '^(.*)/'
    local text = ('cd %s; '):format(above) .. RENAME:format(leaf, folder)
    place.folder(above, me)
    assert.are.equal(0, sh(text).code)
    rig.remove(folder)
    how.argv = { 'sh', '-c', text }
    rig.confined(how)
    assert.is_false(place.exists(folder .. '/' .. leaf), folder)
    rig.remove(above .. '/t')
  end

  before_each(rig.fresh_work)

  it('a folder with protected and hidden names cannot come by a rename', function()
    local config = me.home .. '/.config'
    for _, how in ipairs { { flags = { '--write', config } }, { cwd = config } } do
      cannot_make(config .. '/git', 'config', how)
    end
  end)

  it('the same where a profile of the site grants it', function()
    rig.site('profiles/ours.lua', "include 'default'\nfile.write '~/.config'\n")
    cannot_make(me.home .. '/.config/autostart', 'x.desktop', { flags = { '-p', 'ours' } })
    rig.remove '/etc/confine-lua'
  end)

  it('a credential folder that is absent cannot be made', function()
    for folder, leaf in pairs { ['.ssh'] = 'config', ['.aws'] = 'config', ['.docker'] = 'x' } do
      cannot_make(me.home .. '/' .. folder, leaf, { flags = { '--write', me.home } })
    end
  end)

  it('a folder to which hidden names come later cannot be put under another name', function()
    local cache = me.home .. '/data/sub/cache'
    local text = 'cd ~/data/sub; mv cache old && mkdir new && ln -s new cache'
    local env = { XDG_CACHE_HOME = cache, HOME = me.home, PATH = '/usr/bin:/bin' }
    for _, is_inside in ipairs { false, true } do
      rig.remove(me.home .. '/data')
      place.folder(cache .. '/other', me)
      local run = is_inside and rig.confined { argv = { 'sh', '-c', text }, env = env,
        flags = { '--write', me.home .. '/data' } } or sh(text, { env = env })
      assert.are.equal(is_inside, run.code ~= 0)
      assert.are.equal(is_inside, not place.exists(me.home .. '/data/sub/old'))
    end
    rig.remove(me.home .. '/data')
  end)

  it('a link to a folder of such names cannot be replaced', function()
    local far = place.folder(me.home .. '/far', me)
    place.folder(me.home .. '/.local', me)
    local text = 'cd ~/.local; mv share old && mkdir -p share/systemd && echo x > share/systemd/u'
    for _, is_inside in ipairs { false, true } do
      rig.remove(me.home .. '/.local/share')
      rig.remove(me.home .. '/.local/old')
      rig.symlink(far, me.home .. '/.local/share')
      local run = is_inside and rig.confined { argv = { 'sh', '-c', text },
        flags = { '--write', me.home .. '/.local' } } or sh(text)
      assert.are.equal(is_inside, run.code ~= 0)
      assert.are.equal(not is_inside, place.exists(me.home .. '/.local/share/systemd/u'))
    end
    rig.remove(far)
    rig.remove(me.home .. '/.local/share')
  end)
end)

describe('files with the set-user-ID bit, as ' .. me.as .. ',', function()
  it('of root cannot be left in the tree', function()
    rig.fresh_work()
    local text = 'cp /bin/true s && chmod 4755 s && stat -c %a s; rm -f s; '
      .. 'python3 -c "import os; os.close(os.open(\'t\', os.O_CREAT | os.O_WRONLY, 0o4755))" && '
      .. 'stat -c %a t; rm -f t; cp /bin/true u && chmod 755 u && stat -c %a u; rm -f u'
    assert.are.equal('4755\n4755\n755\n', sh(text).out)
    local wanted = me.uid == 0 and '755\n' or '4755\n4755\n755\n'
    assert.are.equal(wanted, rig.confined({ argv = { 'sh', '-c', text } }).out)
  end)
end)
