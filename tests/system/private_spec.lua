--- Private places that a line asks for where a profile says otherwise: the work tree itself, and
--- what is hidden.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me

describe('a work tree that a line has private, as ' .. me.as .. ':', function()
  local TRY = 'echo changed >f && echo made >new && rm -r d && cat f && ls'
  local SECRET = 'cat secret 2>/dev/null; { echo x >>secret; } 2>/dev/null; exit 0'

  local function fresh()
    rig.fresh_work()
    place.file(rig.work .. '/f', 'kept\n', me)
    place.file(rig.work .. '/secret', 'SECRET\n', me)
    place.folder(rig.work .. '/d', me)
  end

  local function state()
    return rig.run({ 'sh', '-c', 'cat f; ls' }).out
  end

  it('keeps what was there, by each way to say so', function()
    fresh()
    local before = state()
    assert.are.equal(0, rig.run({ 'sh', '-c', TRY }).code)
    assert.are_not.equal(before, state())
    for _, flags in ipairs { { '--private', '.' }, { '--private', rig.work },
      { '-p', rig.policy('private', "file.private '.'\n") } } do
      fresh()
      local run = rig.confined { argv = { 'sh', '-c', TRY }, flags = flags, says = true }
      assert.are.same({ 0, before }, { run.code, state() }, run.err)
      assert.is_truthy(run.out:find '^changed\nf\nnew\n', run.out)
      assert.is_truthy(run.err:find('the work tree ' .. rig.work .. ' is private (', 1, true))
    end
    -- Two lines of layers: that it may be written is said as plainly.
    fresh()
    rig.confined { argv = { 'sh', '-c', TRY }, flags = { '--private', '.', '--write', '.' } }
    assert.are_not.equal(before, state())
  end)

  it('shows nothing of what is hidden in it', function()
    fresh()
    assert.are.equal('SECRET\n', rig.run({ 'sh', '-c', SECRET }).out)
    fresh()
    local run = rig.confined { argv = { 'sh', '-c', SECRET },
      flags = { '--private', '.', '--hide', 'secret' } }
    assert.are.equal('', run.out)
    assert.are.equal('SECRET\n', process.slurp(rig.work .. '/secret'))
  end)

  it('is named where only the folder around it is private', function()
    fresh()
    local run = rig.confined { argv = { 'touch', 'new' }, flags = { '--private', '..' },
      says = true }
    assert.is_truthy(run.err:find(('--private ..: the work tree in it, %s, stays writable; '
      .. '--private %s makes it private as well'):format(rig.work, rig.work), 1, true), run.err)
    assert.is_true(place.exists(rig.work .. '/new'))
  end)
end)

describe('a private place where the home is hidden, as ' .. me.as .. ':', function()
  local cache = me.home .. '/.cache'
  local TRY = ('cd %s && ls -A && mkdir x && echo y >x/y && cat x/y'):format(cache)

  it('is an empty one, and told', function()
    rig.fresh_work()
    rig.remove(cache)
    place.folder(cache, me)
    place.file(cache .. '/old', 'OLD\n', me)
    assert.are.equal('old\ny\n', rig.run({ 'sh', '-c', TRY }).out)
    rig.remove(cache .. '/x')
    local closed = rig.confined { argv = { 'sh', '-c', TRY }, flags = { '-p', 'strict' } }
    assert.are.equal('', closed.out)
    local run = rig.confined { argv = { 'sh', '-c', TRY }, says = true,
      flags = { '-p', 'strict', '--private', cache } }
    assert.are.same({ 0, 'y\n' }, { run.code, run.out }, run.err)
    assert.is_truthy(run.err:find('it is hidden (policies/strict.lua:16), so the private place is '
      .. 'empty', 1, true), run.err)
    assert.is_false(place.exists(cache .. '/x'))
  end)

  it('lasts while the host changes what it stands for', function()
    rig.fresh_work()
    rig.remove(cache)
    local run = rig.confined_command { flags = { '-p', 'strict', '--private', cache },
      argv = { 'sh', '-c', ('cd %s && echo a >a && touch $OLDPWD/ready && sleep 2; '):format(cache)
        .. ('cat %s/a %s/old'):format(cache, cache) } }
    local started = process.start(run)
    process.poll(10, function() return place.exists(rig.work .. '/ready') end)
    place.folder(cache, me)
    place.file(cache .. '/old', 'OLD\n', me)
    local ended = process.finish(started)
    assert.are.equal('a\n', ended.out, ended.err)
  end)

  it('shows nothing of the host in a whole home of its own', function()
    rig.fresh_work()
    place.folder(cache, me)
    place.file(cache .. '/old', 'OLD\n', me)
    local run = rig.confined { flags = { '-p', 'strict', '--private', me.home },
      argv = { 'sh', '-c', ('cat %s/old; touch %s/new; cd %s; ls -A'):format(cache, me.home,
        me.home) } }
    assert.are.equal('new\nwork\n', run.out)
    assert.is_false(place.exists(me.home .. '/new'))
  end)

  it('cannot be kept: no run starts', function()
    local policy = rig.policy('kept', "file.private('~/.cache', { keep = true })\n")
    local run = rig.confined { argv = { 'true' }, flags = { '-p', 'strict', '-p', policy } }
    assert.are.equal(125, run.code)
    assert.is_truthy(run.err:find('it is hidden (policies/strict.lua:16), so the place is empty '
      .. 'and nothing can be kept in it', 1, true), run.err)
  end)

  it('is none where a line hides the place for good, which is told', function()
    local run = rig.confined { argv = { 'true' }, says = true,
      flags = { '-p', 'strict', '--hide', cache, '--private', cache } }
    assert.are.equal(0, run.code)
    assert.is_truthy(run.err:find('no private place is made: it is hidden (--hide ' .. cache .. ')',
      1, true), run.err)
  end)
end)

describe('a private place that is kept where nothing is, as ' .. me.as .. ':', function()
  local absent = me.home .. '/absent'
  local function confined(line)
    return rig.confined { argv = { 'sh', '-c', line },
      flags = { '-p', rig.policy('kept', "file.private { '~/absent', keep = true }\n") } }
  end

  it('has what earlier runs left in it, and what the host then makes there', function()
    rig.fresh_work()
    rig.remove(absent)
    local run = confined 'cd ~/absent && ls && mkdir d && echo 1 >a && echo 2 >b && ls'
    assert.are.same({ 0, 'a\nb\nd\n', '' }, { run.code, run.out, run.err })
    assert.is_false(place.exists(absent))
    assert.are.equal('1\nb\nd\n', confined('cd ~/absent && cat a && rm a && ls').out)
    assert.are.equal('b\nd\n', confined('ls ~/absent').out)
    place.folder(absent, me)
    place.file(absent .. '/host', 'OLD\n', me)
    assert.are.equal('b\nd\nhost\n', confined('ls ~/absent').out)
    rig.remove(absent)
  end)
end)
