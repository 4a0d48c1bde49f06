--- The environment: what a confined command finds of the launcher's, and what leaks past it.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local SECRET = 'secret-' .. os.time() .. '-' .. rig.serial()
local HEX = 'hex:' .. SECRET:gsub('.', function(c) return ('%02x'):format(c:byte()) end)

local RICH = {
  API_TOKEN = SECRET, AWS_SECRET_ACCESS_KEY = SECRET, LC_ALL = 'C.UTF-8', TERM = 'xterm',
  EDITOR = 'vi', LD_PRELOAD = '', BASH_ENV = '/dev/null', DISPLAY = ':9', TMPDIR = '/var/tmp',
  PWD = '/', OLDPWD = '/', ['BASH_FUNC_x%%'] = '() { :; }',
}

--- The variables that `env -0` printed, sorted.
local function variables(text)
  local names = {}
  for entry in text:gmatch '([^\0]+)\0' do names[#names + 1] = entry:match '^[^=]*' end
  table.sort(names)
  return names
end

describe('the environment, as ' .. me.as .. ':', function()
  setup(function() rig.fresh_work() end)

  it('holds the floor and nothing else', function()
    local outside = rig.run({ 'env', '-0' }, { env = RICH })
    assert.is_true(outside.out:find(SECRET, 1, true) ~= nil)
    local inside = rig.confined { argv = { 'env', '-0' }, env = RICH }
    assert.are.same({ 'HOME', 'LANG', 'LC_ALL', 'PATH', 'PWD', 'TMPDIR' }, variables(inside.out))
    assert.are.equal('', inside.err)
  end)

  it('holds no more than the floor when the launcher has next to nothing', function()
    local bare = {}
    for name in pairs(place.environment(me)) do bare[name] = false end
    bare.PATH = '/usr/bin:/bin'
    local inside = rig.confined { argv = { 'env', '-0' }, env = bare }
    assert.are.equal(0, inside.code)
    for _, name in ipairs(variables(inside.out)) do
      local known = { HOME = 1, LANG = 1, LC_ALL = 1, PATH = 1, PWD = 1, TMPDIR = 1 }
      assert.are.same({ name, 1 }, { name, known[name] })
    end
  end)

  it('names the folder that the command is in and a temporary folder it can write', function()
    local inside = rig.confined { env = RICH, argv = { 'sh', '-c',
      'echo "$PWD" && pwd -P && test -w "${TMPDIR:-/tmp}" && test -d "${TMPDIR:-/tmp}"' } }
    assert.are.same({ 0, rig.work .. '\n' .. rig.work .. '\n' }, { inside.code, inside.out })
  end)

  it("a launcher's secret is in no process's environment inside", function()
    local attempt = { 'search-environ', HEX }
    assert.are.equal('reached', rig.outside(attempt, { env = RICH }).result)
    assert.are.equal('refused', rig.inside(attempt, { env = RICH }).result)
  end)

  it("a launcher's secret is in no process's command line inside", function()
    local attempt = { 'search-cmdline', HEX }
    local holder = process.start { argv = place.argv_as(me, { 'sh', '-c', 'sleep 600', SECRET }) }
    local outside = process.poll(5, function()
      local finding = rig.outside(attempt)
      return finding.result == 'reached' and finding
    end)
    local inside = rig.inside(attempt, { env = RICH })
    process.stop(holder)
    assert.are.equal('reached', outside and outside.result)
    assert.are.equal('refused', inside.result)
  end)

  it('no value of it stands in an argv on the host while the command runs', function()
    local command = rig.confined_command { env = RICH, flags = { '--env', 'API_TOKEN' },
      argv = { 'sh', '-c', 'env > started; sleep 600' } }
    local run = process.start(command)
    local started = process.poll(10, function()
      local text = process.slurp(rig.work .. '/started')
      return text and text ~= '' and text
    end)
    local found = rig.outside({ 'search-cmdline', HEX }, { as = place.of 'root' })
    process.stop(run)
    assert.is_true((started or ''):find('API_TOKEN=' .. SECRET, 1, true) ~= nil)
    assert.are.same({ 'refused', '' }, { found.result, found.errno })
  end)

  it('an allowed variable passes with its value, and no other', function()
    local inside = rig.confined { env = RICH, flags = { '--env', 'EDITOR' },
      argv = { 'sh', '-c', 'echo "$EDITOR,$TERM"' } }
    assert.are.same({ 0, 'vi,\n' }, { inside.code, inside.out })
  end)

  it('a policy can let one variable pass and refuse it for good', function()
    local pass = rig.policy('pass', "include 'default'\nenv.allow { 'EDITOR', 'TERM' }\n")
    local never = rig.policy('never', "env.refuse { 'EDIT*', why = 'the house says so' }\n")
    local argv = { 'sh', '-c', 'echo "$EDITOR,$TERM"' }
    local passed = rig.confined { env = RICH, flags = { '-p', pass }, argv = argv }
    local refused = rig.confined { env = RICH, flags = { '-p', pass, '-p', never }, argv = argv }
    assert.are.same({ 'vi,xterm\n', ',xterm\n' }, { passed.out, refused.out })
  end)
end)
