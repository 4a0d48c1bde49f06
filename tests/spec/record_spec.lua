-- Records that a site drops in: what is misspelt in them would refuse nothing, so it is an error.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local problem = require 'confine.values.problem'
local record = require 'confine.pipeline.record'

--- The complaint about a record, nil where there is none.
local function complaint(kind, value)
  value.name = 'house'
  local _, wrong = record.load(kind, { name = 'house.lua', base = 'house', trust = 'site' }, value)
  return wrong and problem.text(wrong)
end

describe('a record that a site drops in', function()
  it('may name only kinds of endpoints that there are', function()
    assert.is_nil(complaint('authorities', { env = { FOO = 'url', BAR = 'dbus-address' } }))
    assert.are.equal("house.lua: `env.FOO`: there is no endpoint kind \"urll\"",
      complaint('authorities', { env = { FOO = 'urll' } }))
    for _, env in ipairs { 'FOO', { 'FOO' } } do
      assert.are.equal("house.lua: `env` must be a table of names and strings: { NAME = '...' }",
        complaint('authorities', { env = env }))
    end
  end)

  it('may say of its protected names only what is said of some of them', function()
    local files = { '.house/rules', '.hous[e].d', '*.hk' }
    assert.is_nil(complaint('protected', { files = files, folders = { 'rules' },
      only = { ['.house.d'] = 'dir' }, content = { ['x.hk'] = 'x' }, sockets = { 'rules' } }))
    assert.are.equal("house.lua: `folders`: 'rule' is the last part of none of its files\n"
      .. "    remedy: did you mean 'rules'?",
      complaint('protected', { files = files, folders = { 'rule' } }))
    for _, field in ipairs { 'only', 'content' } do
      assert.are.equal(('house.lua: `%s`: \'.house\' is the last part of none of its files'):format(
        field), (complaint('protected', { files = files, [field] = { ['.house'] = 'file' } })
        :gsub('\n.*', '')))
    end
    assert.are.equal("house.lua: `only`: 'folder' is none of absent, dir, file",
      complaint('protected', { files = files, only = { rules = 'folder' } }))
  end)
end)
