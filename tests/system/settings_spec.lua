--- Settings of everyday tools: hidden while a login stands in them, and else readable.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

local me = rig.me
local SECRET, HEX = 'settings-secret', 'hex:73657474696e67732d736563726574'

--- Is the secret found in a file, outside and inside?
local function found(name, flags)
  local attempt = { 'find', name, HEX }
  return { rig.outside(attempt).result, rig.inside(attempt, { flags = flags }).result }
end

--- Puts a file into the home.
local function settings(name, text)
  local where = me.home .. '/' .. name
  place.folder(where:match '^(.*)/', me)
  return place.file(where, text, me)
end

describe('settings with a login in them, as ' .. me.as .. ':', function()
  before_each(function()
    rig.fresh_work()
    for _, name in ipairs { '.bashrc', '.gitconfig', '.config', '.env', 'dots', '.curlrc',
      '.bashrc.d' } do
      rig.remove(me.home .. '/' .. name)
    end
  end)

  local LOGINS = {
    ['.bashrc'] = '# mine\nexport SOME_API_KEY=%s\n',
    ['.bashrc.d/keys'] = 'export GITHUB_TOKEN="%s"\n',
    ['.env'] = 'DB_PASSWORD=%s\n',
    ['.curlrc'] = 'user = "me:%s"\n',
    ['.gitconfig'] = '[user]\n\tname = n\n[url "https://me:%s@host.example/"]\n\tinsteadOf = x:\n',
    ['.config/pip/pip.conf'] = '[global]\nindex-url = https://me:%s@pypi.example/simple\n',
  }

  it('are hidden, and told with file and line', function()
    for name, text in pairs(LOGINS) do
      local where = settings(name, text:format(SECRET))
      assert.are.same({ where, 'reached', 'refused' }, { where, table.unpack(found(where)) })
      local said = rig.confined { says = true, argv = { 'true' } }.err
      assert.is_true(said:find(where .. ' (line ', 1, true) ~= nil, said)
      assert.is_nil(said:find(SECRET, 1, true))
      local explained = rig.run({ rig.program, 'explain', where }).out
      assert.is_true(explained:find(': hidden\n', 1, true) ~= nil, explained)
      assert.is_true(explained:find('(line ', 1, true) ~= nil, explained)
      assert.is_nil(explained:find(SECRET, 1, true))
      rig.remove(where)
    end
  end)

  it('are readable without one', function()
    for name, text in pairs(LOGINS) do
      local where = settings(name, '# ' .. SECRET .. '\n')
      assert.are.same({ where, 'reached', 'reached' }, { where, table.unpack(found(where)) })
      -- What only names where a login is found holds none.
      place.file(where, (text:format('$X'):gsub('\n', ' # ' .. SECRET .. '\n', 1)), me)
      assert.are.same({ where, 'reached', 'reached' }, { where, table.unpack(found(where)) })
      rig.remove(where)
    end
  end)

  it('are hidden where a link leads to them, and what git includes', function()
    settings('dots/bashrc', 'export A_TOKEN=' .. SECRET .. '\n')
    rig.symlink('dots/bashrc', me.home .. '/.bashrc')
    settings('dots/work', '[github]\n\ttoken = ' .. SECRET .. '\n')
    settings('.gitconfig', '[include]\n\tpath = dots/work\n')
    for _, name in ipairs { '.bashrc', 'dots/bashrc', 'dots/work' } do
      local where = me.home .. '/' .. name
      assert.are.same({ where, 'reached', 'refused' }, { where, table.unpack(found(where)) })
    end
    assert.are.equal('reached', rig.inside({ 'read', me.home .. '/.gitconfig' }).result)
  end)

  it('are readable by a grant, and hidden too where they are too large to be judged', function()
    local where = settings('.bashrc', 'export A_TOKEN=' .. SECRET .. '\n')
    assert.are.same({ 'reached', 'reached' }, found(where, { '--read', where }))
    place.file(where, ('# ' .. SECRET .. '\n'):rep(20000), me)
    assert.are.same({ 'reached', 'refused' }, found(where))
  end)

  it('do not open to a run after one that has shut them, or their folder', function()
    local file, env = me.home .. '/.env', 'A_TOKEN=' .. SECRET .. '\n'
    local inner = me.home .. '/.bashrc.d/keys'
    for _, where in ipairs { file, inner } do
      settings('.env', env)
      settings('.bashrc.d/keys', env)
      local shut = where == file and file or me.home .. '/.bashrc.d'
      for _, is_inside in ipairs { false, true } do
        local flags = { '--write', me.home }
        local first, second = { 'chmod', '000', shut },
          { 'sh', '-c', 'chmod 755 "$1"; cat "$2"', 'sh', shut, where }
        if is_inside then
          rig.confined { argv = first, flags = flags }
          assert.are.equal('', rig.confined({ argv = second, flags = flags }).out)
        else
          assert.are.equal(0, rig.run(first).code)
          assert.are.equal(env, rig.run(second).out)
        end
        rig.run { 'chmod', '755', shut }
      end
    end
  end)

  it("of a repository's own config it is said that the command can read it", function()
    local made = rig.run { 'git', 'init', '-q', '.' }
    assert.are.equal(0, made.code)
    local plain = rig.confined { says = true, argv = { 'true' } }.err
    assert.is_nil(plain:find('holds a login', 1, true))
    assert.are.equal(0, rig.run({ 'git', 'remote', 'add', 'origin',
      'https://me:' .. SECRET .. '@host.example/x' }).code)
    local said = rig.confined { says = true, argv = { 'git', 'status' } }
    assert.are.equal(0, said.code)
    assert.is_true(said.err:find(rig.work .. '/.git/config: holds a login (line ', 1, true) ~= nil,
      said.err)
    assert.are.same({ 'reached', 'reached' }, found(rig.work .. '/.git/config'))
  end)
end)
