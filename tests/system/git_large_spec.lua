--- Git configs that a command left so large that looking through them would take the next start's
--- time and memory: no run starts, which says in which file and what to do.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me

--- What stands in a git config of a folder, made by a command: name, shell text that prints it, and
--- what the message says of it.
local CASES = {
  { 'one command of many words', [[seq -f 'a%g/b' 85000 | tr '\n' ' ' >w
    echo '[core]'; echo "fsmonitor = $(cat w)"]], 'its core.fsmonitor has more than 4096 bytes' },
  { 'one that changes into many folders', [[echo '[core]'
    echo "fsmonitor = $(seq -f 'cd a%g &&' 300 | tr '\n' ' ')"]],
    'its core.fsmonitor changes into more than 32 folders' },
  { 'many commands', [[echo '[core]'; seq -f 'pager = t%g/x' 3000]],
    'it and the configs before it name more than 2048 paths' },
  { 'many long ones', [[echo '[pager]'; for i in $(seq 200); do
    printf 'p%s = %01000d\n' $i $i; done]],
    'the programs in it and in the configs before it have more than 131072 bytes' },
  { 'comments, and a command behind them', [[seq -f '# %g' 200000; echo '[core]'
    echo 'fsmonitor = "echo executed by git >$HOME/mark; false"']],
    'it has more than 1048576 bytes' },
}

describe('a git config too large to be looked through, as ' .. me.as .. ':', function()
  before_each(function()
    rig.fresh_work()
    assert.are.equal(0, rig.run({ 'git', 'init', '-q', '.' }).code)
  end)

  for _, case in ipairs(CASES) do
    local name, make, says = table.unpack(case)
    it(name, function()
      if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
      local left = rig.confined { argv = { 'sh', '-c',
        'git init -q s && cat s/.git/config >c && {\n' .. make .. '\n} >>c && '
          .. 'mv c s/.git/config' } }
      assert.are.equal(0, left.code, left.err)
      local before = process.now()
      local run = rig.confined { argv = { 'true' }, timeout = 10 }
      local took = process.now() - before
      assert.are.same({ 125, '' }, { run.code, run.out }, run.err)
      local message = ('the git config %s/s/.git/config is too large to be looked through: %s')
        :format(rig.work, says)
      assert.is_truthy(run.err:find(message, 1, true), run.err)
      assert.is_truthy(run.err:find('remedy: git outside reads it too', 1, true), run.err)
      assert.is_true(took < 2, took .. ' seconds')
      rig.remove(rig.work .. '/s/.git/config')
      assert.are.equal(0, rig.confined({ argv = { 'true' } }).code)
    end)
  end

  it('would be read by git outside all the same', function()
    if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
    local make = 'git init -q s && {\n' .. CASES[#CASES][2] .. '\n} >>s/.git/config'
    assert.are.equal(0, rig.run({ 'sh', '-c', make }).code)
    rig.remove(me.home .. '/mark')
    rig.run { 'git', '-C', 's', 'status' }
    assert.are.equal('executed by git\n', rig.run({ 'cat', me.home .. '/mark' }).out)
    rig.remove(me.home .. '/mark')
  end)

  it('is none where people write much: a thousand branches, remotes and aliases', function()
    if not place.exists '/usr/bin/git' then return pending 'git is not installed' end
    local made = rig.run { 'sh', '-c', [[for i in $(seq 1000); do
      printf '[branch "b%s"]\n\tremote = r%s\n[remote "r%s"]\n' $i $i $i
      printf '\turl = https://host.example/%s\n[alias]\n\ta%s = !f() { ./t/%s; }; f\n' $i $i $i
      done >>.git/config]] }
    assert.are.equal(0, made.code, made.err)
    local run = rig.confined { argv = { 'true' } }
    assert.are.same({ 0, '' }, { run.code, run.err })
  end)
end)
