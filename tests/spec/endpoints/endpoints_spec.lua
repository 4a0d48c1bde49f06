--- Every endpoint kind keeps its promises: its examples hold, and hostile values become problems.
local ROOT = (debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. '../../../'
package.path = ROOT .. 'lua/?.lua;' .. package.path
local endpoints = require 'confine.endpoints'

local KINDS = ROOT .. 'lua/confine/endpoints/'

local function kinds()
  local list = {}
  local pipe = assert(io.popen("ls '" .. KINDS .. "'"))
  for name in pipe:lines() do
    list[#list + 1] = assert(name:match('^(.*)%.lua$'), name):gsub('_', '-')
  end
  pipe:close()
  table.sort(list)
  return list
end

local FACTS = {
  uid = 1000, user = 'u', home = '/home/u', runtime_dir = '/run/user/1000', cwd = '/w', env = {},
}

local HOSTILE = {
  'a\0b', '/a\27]0;x\7', '\n', '\127', ('x'):rep(1024 * 1024), ('/x/;'):rep(100000),
}

--- Values that must be read or refused, but never raise.
local ODD = {
  ' ', ':', ';', ',', '=', '%', '%%', '/', '//', '.', '..', '@', '@@', '~', '[', ']', '{', '-',
  '-1', '\255\254', '\xc2\x9b', 'unix:', 'unix://', 'unix://%', '://', '[::', 'a:b:c:d',
  ('/'):rep(5000), ('a'):rep(60000), (';'):rep(60000), ('unix:path=/a;'):rep(3000),
  ('{'):rep(60000), ':0.0.0', '0',
}

describe('endpoint kinds', function()
  for _, kind in ipairs(kinds()) do
    describe(kind, function()
      local module = endpoints.find(kind)

      it('says what it is and shows it', function()
        assert.is_string(module.doc)
        assert.is_true(#module.examples > 1)
      end)

      for _, example in ipairs(module.examples) do
        it(('reads %q'):format(example.value), function()
          local result, problem = module.read(example.value, example.facts)
          assert.are.same({ example.result, example.problem }, { result, problem })
        end)
      end

      it('names nothing for an empty value', function()
        assert.are.same({}, module.read('', FACTS))
      end)

      it('answers hostile values with one short printable line', function()
        for _, value in ipairs(HOSTILE) do
          local result, problem = module.read(value, FACTS)
          assert.is_nil(result)
          assert.is_string(problem)
          assert.is_true(#problem < 400, problem)
          assert.is_nil(problem:find('%c'))
        end
      end)

      it('never raises, and answers in the declared shape', function()
        for _, value in ipairs(ODD) do
          for _, facts in ipairs { FACTS, {} } do
            local result, problem = module.read(value, facts)
            assert.is_true(type(result) == 'table' or type(problem) == 'string')
            assert.is_nil(problem and problem:find('%c'))
            for _, found in ipairs(result or {}) do
              local key = next(found)
              assert.is_nil(next(found, key))
              local at = found.path or found.glob
              assert.is_true(at == nil or at:sub(1, 1) == '/', value:sub(1, 40))
            end
          end
        end
      end)
    end)
  end

  it('are found by the name that records use', function()
    assert.are.equal(require 'confine.endpoints.dbus_address', endpoints.find 'dbus-address')
    assert.are.same({ { path = '/a' } }, endpoints.read('path', '/a'))
  end)

  it('say so when there is none', function()
    local found, problem = endpoints.find 'no-such'
    assert.is_nil(found)
    assert.are.equal('there is no endpoint kind "no-such"', problem)
    found, problem = endpoints.read('../name', '/a')
    assert.is_nil(found)
    assert.are.equal('not the name of an endpoint kind', problem)
  end)
end)
