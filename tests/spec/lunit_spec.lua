--- lunit: what it counts, what it prints, which tests it picks, and that it agrees with busted.
local lunit = require 'lunit'
local show = require 'lunit.show'

local FIXTURES = 'tests/fixtures/lunit'

--- Runs the command and returns its exit status and what it printed.
local function main(...)
  local out = {}
  local status = lunit.main({ ... }, function(text) out[#out + 1] = text end)
  return status, table.concat(out)
end

--- The results of one fixture file, as 'status name' lines.
local function outcomes(file, opts)
  local lines = {}
  for i, entry in ipairs(lunit.run({ FIXTURES .. '/' .. file }, opts).entries) do
    lines[i] = entry.status .. ' ' .. entry.name
  end
  return lines
end

--- Runs a spec given as text; returns what `lunit.run` returns.
local function run_text(text, opts)
  local path = os.tmpname()
  local handle = assert(io.open(path, 'w'))
  handle:write(text)
  handle:close()
  local result = lunit.run({ path }, opts)
  os.remove(path)
  for _, entry in ipairs(result.entries) do
    entry.file = entry.file == path and 'SPEC' or entry.file
    entry.at = entry.at and (entry.at:gsub(path, 'SPEC', 1))
  end
  return result
end

describe('lunit', function()
  it('counts passes, failures, errors and pendings', function()
    local result = lunit.run { FIXTURES .. '/outcomes_spec.lua' }
    assert.same({ 8, 6, 13, 5 }, { result.passed, result.failed, result.errors, result.pending })
  end)

  it('runs nothing of a file that raises, and says where', function()
    local result = lunit.run { FIXTURES .. '/raising_spec.lua' }
    assert.same({ 'error tests/fixtures/lunit/raising_spec.lua' }, outcomes('raising_spec.lua'))
    assert.equal('the file raises', result.entries[1].text)
    assert.equal('tests/fixtures/lunit/raising_spec.lua:3', result.entries[1].at)
  end)

  it('reports a file that is not Lua as an error with its line', function()
    local entry = lunit.run({ FIXTURES .. '/broken_spec.lua' }).entries[1]
    assert.same({ 'error', 'tests/fixtures/lunit/broken_spec.lua:3' }, { entry.status, entry.at })
  end)

  it('leaves no global and no module of one file for the next', function()
    local result = lunit.run { FIXTURES .. '/scopes_a_spec.lua', FIXTURES .. '/scopes_b_spec.lua' }
    assert.same({ 10, 0, 0 }, { result.passed, result.failed, result.errors })
    assert.is_nil(package.loaded['lunit.fixture'])
  end)

  it('names what was wanted, what came, and the line of the assertion', function()
    local entry = run_text("it('x', function()\n  assert.equal(1, 2)\nend)").entries[1]
    assert.same({
      status = 'failed', name = 'x', file = 'SPEC', line = 1, at = 'SPEC:2',
      text = 'got:    2\nwanted: 1',
    }, entry)
  end)

  it('puts the message of an assertion first', function()
    local result = run_text("it('x', function() assert.is_true(false, 'why') end)")
    assert.equal('why\ngot:    false\nwanted: true', result.entries[1].text)
  end)

  it('says so when a negated assertion does not hold', function()
    local result = run_text("it('x', function() assert.is_not_nil(nil) end)")
    assert.equal('this must not hold:\ngot:    nil\nwanted: nil', result.entries[1].text)
  end)

  it('traces an error to the spec through what it called', function()
    local result = run_text("local function deep() error('e') end\nit('x', function()\n" ..
      "  deep()\n  return 1\nend)")
    local trace = result.entries[1].trace
    assert.equal(2, #trace)
    assert.matches(":1: in .*'deep'$", trace[1])
    assert.matches(':3: in a function$', trace[2])
  end)

  it('can run inside one of its own tests', function()
    assert.equal(1, run_text("it('inner', function() end)").passed)
    assert.equal('function', type(it))
  end)
end)

describe('lunit chooses', function()
  it('by a pattern on the full name', function()
    assert.same({ 'passed a context counts as well' },
      outcomes('outcomes_spec.lua', { filter = { '^a context' } }))
  end)

  it('what one of several patterns matches', function()
    assert.same({ 'passed a context counts as well', 'passed stands outside any block' },
      outcomes('outcomes_spec.lua', { filter = { '^a context', '^stands' } }))
  end)

  it('not what is filtered out', function()
    assert.same({ 'passed stands outside any block', 'pending is pending outside any block' },
      outcomes('outcomes_spec.lua', { filter_out = { '^outcomes', '^a context' } }))
  end)

  it('by tags', function()
    local text = "describe('a #slow', function() it('b', function() end) end)\n" ..
      "it('c #net', function() end)"
    assert.equal('a #slow b', run_text(text, { tags = { 'slow' } }).entries[1].name)
    assert.equal('c #net', run_text(text, { exclude_tags = { 'slow' } }).entries[1].name)
  end)

  it('nothing, and fails, when a filter matches nothing', function()
    local result = lunit.run({ FIXTURES .. '/scopes_b_spec.lua' },
      { filter = { 'a later file', 'no such test' } })
    assert.equal(2, result.passed)
    assert.equal(1, result.errors)
    assert.equal("--filter 'no such test' matches no test", result.entries[3].text)
  end)

  it('nothing, and fails, when a tag matches nothing', function()
    local result = lunit.run({ FIXTURES .. '/scopes_b_spec.lua' }, { tags = { 'none' } })
    assert.equal("--tags 'none' matches no test", result.entries[1].text)
  end)

  it('the specs of a folder in order, hidden folders and other files apart', function()
    local names = {}
    for i, path in ipairs(assert(lunit.files(FIXTURES .. '/'))) do
      names[i] = path:match('[^/]+$')
    end
    assert.same({ 'assertions_spec.lua', 'broken_spec.lua', 'empty_spec.lua', 'hooks_spec.lua',
      'outcomes_spec.lua', 'raising_spec.lua', 'scopes_a_spec.lua', 'scopes_b_spec.lua' }, names)
  end)

  it('any file that is named', function()
    assert.same({ FIXTURES .. '/helper.lua' }, (lunit.files(FIXTURES .. '/helper.lua')))
  end)

  it('nothing of a path that is not there, and fails', function()
    local result = lunit.run { 'tests/no such folder' }
    assert.equal('tests/no such folder: No such file or directory', result.entries[1].text)
    assert.equal(1, result.errors)
  end)
end)

describe('lunit prints', function()
  it('plain text that ends with the counts', function()
    local status, text = main(FIXTURES .. '/scopes_b_spec.lua')
    assert.equal(0, status)
    assert.equal('tests/fixtures/lunit/scopes_b_spec.lua: 2 passed\n' ..
      '2 passed, 0 failed, 0 skipped\n', text)
  end)

  it('each failure and each skip, and counts errors as failed', function()
    local status, text = main('--filter=errs with a text', '--filter=fails$',
      '--filter=from inside', FIXTURES .. '/outcomes_spec.lua')
    assert.equal(1, status)
    assert.equal([[
  FAILED  tests/fixtures/lunit/outcomes_spec.lua:5: outcomes fails
    got:    2
    wanted: 1
  ERROR   tests/fixtures/lunit/outcomes_spec.lua:8: outcomes errs with a text
    text
  skipped tests/fixtures/lunit/outcomes_spec.lua:16: outcomes is pending from inside: not yet
tests/fixtures/lunit/outcomes_spec.lua: 1 failed, 1 error, 1 pending
0 passed, 2 failed, 1 skipped
]], text)
  end)

  it('every test when asked to', function()
    local _, text = main('--verbose', FIXTURES .. '/scopes_b_spec.lua')
    assert.equal([[
tests/fixtures/lunit/scopes_b_spec.lua
  passed  a later file sees no global of the earlier one
  passed  a later file sees no module of the earlier one
2 passed, 0 failed, 0 skipped
]], text)
  end)

  it('names and places with --list, and runs nothing', function()
    local status, text = main('--list', FIXTURES .. '/scopes_b_spec.lua',
      FIXTURES .. '/scopes_a_spec.lua', '--filter=sees its own')
    assert.equal(0, status)
    assert.equal([[
tests/fixtures/lunit/scopes_a_spec.lua:30: insulated sees its own
tests/fixtures/lunit/scopes_a_spec.lua:42: around an exposed one exposed sees its own
]], text)
  end)

  it('tap', function()
    local _, text = main('--output=tap', '--filter=fails$', '--filter=from inside',
      FIXTURES .. '/outcomes_spec.lua')
    assert.equal([[
not ok 1 - outcomes fails
# tests/fixtures/lunit/outcomes_spec.lua:5: got:    2
# wanted: 1
ok 2 - outcomes is pending from inside # SKIP not yet
1..2
# 0 passed, 1 failed, 1 skipped
]], text)
  end)

  it('json', function()
    local _, text = main('--output', 'json', '--filter=fails$', FIXTURES .. '/outcomes_spec.lua')
    assert.equal('{"passed":0,"failed":1,"errors":0,"pending":0,"entries":[{"status":"failed",' ..
      '"name":"outcomes fails","file":"tests/fixtures/lunit/outcomes_spec.lua",' ..
      '"at":"tests/fixtures/lunit/outcomes_spec.lua:5",' ..
      '"text":"got:    2\\u000awanted: 1","line":5}]}\n', text)
  end)

  it('control bytes in a name escaped', function()
    local out = {}
    local reporter = require('lunit.report').tap(function(text) out[#out + 1] = text end)
    run_text([[it('a\n\27b', function() end)]], { reporter = reporter })
    assert.equal('ok 1 - a\\010\\027b\n', out[1])
  end)

  it('its usage', function()
    local status, text = main('--help')
    assert.equal(0, status)
    assert.matches('^usage: confine%-lua test', text)
  end)

  it('no colour but to a terminal', function()
    local _, text = main(FIXTURES .. '/outcomes_spec.lua')
    assert.is_nil(text:find('\27', 1, true))
  end)
end)

describe('lunit shows', function()
  it('short tables on a line, with sorted keys', function()
    assert.equal("{ 1, 2, a = 'x', ['b c'] = true, [false] = 1.0 }",
      show.text({ 1, 2, ['b c'] = true, a = 'x', [false] = 1.0 }))
  end)

  it('control bytes escaped and other bytes as they are', function()
    assert.equal([['a\n\027\'\\ü']], show.text("a\n\27'\\ü"))
  end)

  it('a table within itself once', function()
    local t = {}
    t.t = t
    assert.equal('{ t = <the same table again> }', show.text(t))
  end)

  it('only what differs of long values, with three lines around', function()
    local got, wanted = {}, {}
    for i = 1, 30 do got[i], wanted[i] = i, i end
    got[15] = 'x'
    assert.equal([[
- got, + wanted
  ...
    12,
    13,
    14,
-   'x',
+   15,
    16,
    17,
    18,
  ...]], (show.comparison(got, wanted):gsub('  (  %d)', '  %1')))
  end)

  it('texts of several lines line by line', function()
    assert.equal("- got, + wanted\n  'a'\n- 'b'\n+ 'c'", show.comparison('a\nb', 'a\nc'))
  end)
end)

describe('lunit and busted', function()
  --- The results in a TAP text, without numbers and sorted.
  local function results(tap)
    local lines = {}
    for line in tap:gmatch('[^\n]+') do
      local word, rest = line:match('^(o?n?o?t? ?ok) %d+ %- (.*)$')
      if word then lines[#lines + 1] = word .. ' ' .. rest end
    end
    table.sort(lines)
    return lines
  end

  it('agree on every fixture', function()
    local busted = io.open('/usr/bin/busted')
    if not busted then pending('/usr/bin/busted is not installed') end
    busted:close()
    local pipe = io.popen('lua5.4 /usr/bin/busted -o tests/tools/busted_tap.lua ' .. FIXTURES)
    local from_busted = results(pipe:read('a'))
    pipe:close()
    local _, tap = main('--output=tap', FIXTURES)
    assert.same(from_busted, results(tap))
    assert.is_true(#from_busted > 150)
  end)
end)
