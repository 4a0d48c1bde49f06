-- What the configs of a repository have git execute in the tree.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local git_config = require 'confine.pipeline.git_config'

local FACTS = { root = '/w', home = '/home/ada' }

local function config(text, top, dir)
  return { name = '.git/config', text = text, top = top or '/w', dir = dir or '/w/.git' }
end

describe('the config of a repository', function()
  it('names hooks, further configs, and programs of filters and aliases in the tree', function()
    assert.are.same({ '/w/tools/hooks', '/w/extra.cfg', '/w/bin/clean', '/w/x.sh', '/w/run' },
      (git_config.names(config [[
[core]
  hooksPath = tools/hooks
[include] path = ../extra.cfg
[filter "lfs"]
  clean = "bin/clean" %f
  smudge = git-lfs smudge
[alias]
  st = status
  x = !sh ./x.sh
[core] fsmonitor = /w/run
]], FACTS)))
  end)

  it('names what pagers, tools and remotes execute, also below $HOME', function()
    local facts = { root = '/home/ada/w', home = '/home/ada' }
    for _, text in ipairs { '[pager]\nlog = t/p', '[pager]\nshow = sh $HOME/w/t/p -x',
      '[filter "z"]\nclean = ${HOME}/w/t/p', '[mergetool "m"]\ncmd = t/p $LOCAL',
      '[remote "o"]\nuploadpack = t/p', '[tar "x"]\ncommand = t/p -c',
      '[gpg "ssh"]\ndefaultKeyCommand = t/p', '[interactive]\ndiffFilter = t/p',
      '[init]\ntemplateDir = t/p' } do
      assert.are.same({ text, { '/home/ada/w/t/p' } },
        { text, (git_config.names(config(text, '/home/ada/w'), facts)) })
    end
  end)

  it('names programs by each key that git takes one from', function()
    for _, text in ipairs { '[pager] log =', '[interactive] diffFilter =', '[mergetool "m"] cmd =',
      '[difftool "d"] cmd =', '[trailer "t"] cmd =', '[trailer "t"] command =',
      '[core] alternateRefsCommand =', '[uploadpack] packObjectsHook =',
      '[gpg "ssh"] defaultKeyCommand =', '[gpg "ssh"] program =', '[sendemail] toCmd =',
      '[sendemail "x"] smtpServer =', '[remote "r"] uploadpack =', '[remote "r"] receivepack =',
      '[tar "x"] command =', '[gc] recentObjectsHook =', '[init] templateDir =' } do
      assert.are.same({ text, { '/w/t/x' } },
        { text, (git_config.names(config(text .. ' t/x'), FACTS)) })
    end
  end)

  it('is read with the variables that begin a path', function()
    local facts = { root = '/home/ada/w', home = '/home/ada', env = { T = '/home/ada/w/t' } }
    for word, wanted in pairs { ['$HOME/w/x'] = '/home/ada/w/x', ['${HOME}/w/x'] = '/home/ada/w/x',
      ['~/w/x'] = '/home/ada/w/x', ['sh \\"$HOME/w/x\\" -v'] = '/home/ada/w/x',
      ['$T/x'] = '/home/ada/w/t/x', ['\\"$HOME\\"/w/x'] = '/home/ada/w/x',
      ['$PWD/x'] = '/home/ada/w/x', ['$NO/x'] = false } do
      local own = config('[pager]\nlog = ' .. word, '/home/ada/w')
      assert.are.same({ word, { wanted or nil } }, { word, (git_config.names(own, facts)) })
    end
  end)

  it('is read with its comments, quotes, continued lines and subsections', function()
    for text, wanted in pairs {
      ['[core]\nhooksPath = hk # ours'] = '/w/hk', ['[core]\nhooksPath = hk;x'] = '/w/hk',
      ['[core]\nhooksPath = "h#k"'] = '/w/h#k', ['[CORE] HooksPath = "h"\\\nk'] = '/w/hk',
      ['# no \\\n[core]\nhooksPath = hk'] = '/w/hk', ['[core]\nhooksPath=a b  \n'] = '/w/a b',
      ['[x "]"]\na=1\n[core]\nhooksPath = hk'] = '/w/hk', ['[core]bare\nhooksPath = hk'] = '/w/hk',
      ['[core]\r\nhooksPath = hk\r\n'] = '/w/hk', ['[core]\nhooksPath = h\\"k'] = '/w/h"k',
      ['[includeIf "onbranch:**"]\npath = ../hk'] = '/w/hk',
    } do
      assert.are.same({ text, { wanted } }, { text, (git_config.names(config(text), FACTS)) })
    end
  end)

  it('means the top of the work tree, and its own folder for what it includes', function()
    local text = '[core]\nhooksPath = w/hk\n[include]\npath = more'
    assert.are.same({ '/w/hk' }, (git_config.names(config(text, '/', '/.git'), FACTS)))
    assert.are.same({ '/etc/more' }, git_config.includes(config(text, '/w', '/etc'), FACTS))
    assert.are.same({ '/home/ada/g' },
      git_config.includes(config '[include]\npath = ~/g', FACTS))
  end)

  it('names a script without a slash where it is a file that is there', function()
    local refusals = git_config.refusals { root = '/w', git_configs = { config(
      '[filter "s"]\nclean = sh strip.sh -v\n[core]\npager = less\n[alias]\nt = !make test.sh') } }
    assert.are.equal(1, #refusals)
    assert.are.equal('/w/strip.s[h]', refusals[1].thing)
    assert.are.same({ ['strip.sh'] = 'file' }, refusals[1].only)
  end)

  it('names what a `..` behind a link leads to', function()
    local own = config '[core]\nhooksPath = l/../hooks\nfsmonitor = ../x/y'
    local facts = { root = '/w', git_configs = { own } }
    assert.are.same({ '/w/l/../hooks', '/w/../x/y' }, git_config.climbs(facts))
    facts.looks = { ['/w/l/..'] = { { path = '/w/far' } }, ['/w/..'] = { { path = '/' } } }
    assert.are.same({ '/w/far/hooks' }, (git_config.names(own, facts)))
  end)

  it('is taken up to bounds, which say of what there is too much', function()
    local function named(text, left)
      local out, too_much = git_config.named(config(text), FACTS, left
        or { bytes = git_config.MOST.bytes, names = git_config.MOST.names })
      return out and #out or too_much
    end
    local folders, words = ('cd a && '):rep(40), ('t/x '):rep(1000)
    for text, wanted in pairs {
      ['[core]\npager = t/x'] = 1,
      ['[branch "b"]\nmerge = ' .. ('x'):rep(5000)] = 0,
      ['[core]\npager = ' .. ('x'):rep(5000)] = 'its core.pager has more than 4096 bytes',
      ['[core]\npager = ' .. folders] = 'its core.pager changes into more than 32 folders',
      [('[core]\npager = ' .. words .. '\n'):rep(3)] =
        'it and the configs before it name more than 2048 paths',
      [('[core]\npager = ' .. ('x'):rep(4000) .. '\n'):rep(40)] =
        'the programs in it and in the configs before it have more than 131072 bytes',
    } do
      assert.are.equal(wanted, named(text))
    end
    local left = { bytes = 10, names = 1 }
    assert.are.equal(1, named('[core]\npager = t/x', left))
    assert.are.same({ bytes = 7, names = 0 }, left)
    assert.are.equal('it and the configs before it name more than 2048 paths',
      named('[core]\npager = t/x', left))
  end)

  it('is read in no time, whatever stands in it', function()
    local before = os.clock()
    for _, part in ipairs { '$(', '${a:', '"', "'/", '`', ' ""', '[a "', '\\', ' ' } do
      local text = '[core]\npager = ' .. part:rep(50000)
      git_config.named(config(text), FACTS, { bytes = 4096, names = 100 })
      git_config.named(config(text:sub(1, 4000)), FACTS, { bytes = 4096, names = 100 })
    end
    assert.is_true(os.clock() - before < 5)
  end)

  it('names what lies in a folder that is granted', function()
    local own = config('[core]\nhooksPath = t/hooks', '/srv/other')
    assert.are.same({}, (git_config.names(own, FACTS)))
    assert.are.same({ '/srv/other/t/hooks' }, (git_config.names(own,
      { root = '/w', git_written = { '/srv' } })))
  end)

  it('names nothing outside the tree, and odd text does no harm', function()
    for _, text in ipairs { '[core]\nhooksPath = /etc/hooks\nfsmonitor = ../../x',
      '[[[\n= =\n[core\nhooksPath', '[core]\n hooksPath = .\n', '', '\\', '[core]\nhooksPath = "',
      '[a "b\n[core]\nx = \\', '\0[core]\nhooksPath = \1' } do
      assert.are.same({ text, {} }, { text, (git_config.names(config(text), FACTS)) })
    end
    assert.are.same({}, git_config.refusals { root = '/w' })
  end)
end)
