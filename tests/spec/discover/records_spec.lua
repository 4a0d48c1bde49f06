--- Discovery goes by the records; a bad one is named and the others still count.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')
local endpoints = require 'confine.endpoints'
local records = require 'scripts.records'

local function source(name, text)
  return { name = name .. '.lua', base = name, kind = 'authorities', text = text }
end

describe('records', function()
  it('add to each other by name', function()
    local loaded, problems = records.load {
      source('a', "return record { name = 'a', sockets = { '/1' }, env = { A = 'path' } }"),
      source('a', "return record { name = 'a', sockets = { '/2' }, env = { B = 'url' } }"),
    }
    assert.are.same({}, problems)
    assert.are.same({ '/1', '/2' }, loaded.authorities[1].sockets)
    assert.are.same({ { authority = 'a', name = 'A', kind = 'path' },
      { authority = 'a', name = 'B', kind = 'url' } }, records.variables(loaded))
  end)

  it('cannot reach out, loop or be of a wrong shape', function()
    local loaded, problems = records.load {
      source('calls', 'os.execute("true")'),
      source('loops', 'while true do end'),
      source('syntax', 'return record {'),
      source('nothing', 'return 7'),
      source('odd', "return { sockets = { 7, '/ok' }, env = { [7] = 'x', A = 7 }, owners = 'x' }"),
    }
    assert.are.same({
      "calls.lua:1: attempt to index a nil value (global 'os')",
      'loops.lua: the record takes too long',
      "syntax.lua:1: unexpected symbol near <eof>",
      'nothing.lua: the file returns no record',
    }, problems)
    assert.are.equal(1, #loaded.authorities)
    assert.are.same({ '/ok' }, loaded.authorities[1].sockets)
  end)

  it('that are built in name only endpoint kinds that exist', function()
    local sources = {}
    local pipe = assert(io.popen("ls '" .. tree.ROOT .. "policies/authorities'"))
    for file in pipe:lines() do
      local handle = assert(io.open(tree.ROOT .. 'policies/authorities/' .. file))
      sources[#sources + 1] = source(file:match('^(.*)%.lua$'), handle:read('a'))
      handle:close()
    end
    pipe:close()
    local loaded, problems = records.load(sources)
    assert.are.same({}, problems)
    assert.is_true(#loaded.authorities > 10)
    for _, variable in ipairs(records.variables(loaded)) do
      local kind, problem = endpoints.find(variable.kind)
      assert.is_truthy(kind, variable.name .. ': ' .. tostring(problem))
    end
  end)
end)
