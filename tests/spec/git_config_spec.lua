-- What a repository's config has git execute in the tree.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local git_config = require 'confine.pipeline.git_config'

local FACTS = { root = '/w', home = '/home/ada' }

describe('the config of a repository', function()
  it('names hooks, further configs, and programs of filters and aliases in the tree', function()
    assert.are.same({ '/w/tools/hooks', '/w/extra.cfg', '/w/bin/clean', '/w/x.sh', '/w/run' },
      git_config.names([[
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
]], FACTS))
  end)

  it('names what a `..` behind a link leads to', function()
    local facts = { root = '/w', git_config = '[core]\nhooksPath = l/../hooks\nfsmonitor = ../x/y' }
    assert.are.same({ '/w/l/../hooks', '/w/../x/y' }, git_config.climbs(facts))
    facts.looks = { ['/w/l/..'] = { { path = '/w/far' } }, ['/w/..'] = { { path = '/' } } }
    assert.are.same({ '/w/far/hooks' }, git_config.names(facts.git_config, facts))
  end)

  it('names nothing outside the tree, and odd text does no harm', function()
    local outside = '[core]\nhooksPath = /etc/hooks\nfsmonitor = ../../x'
    assert.are.same({}, git_config.names(outside, FACTS))
    assert.are.same({}, git_config.names('[[[\n= =\n[core\nhooksPath', FACTS))
    assert.are.same({}, git_config.names('[core]\n hooksPath = .\n', FACTS))
    assert.are.same({}, git_config.refusals { root = '/w' })
  end)
end)
