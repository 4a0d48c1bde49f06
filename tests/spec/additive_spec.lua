-- Property test over random layers: a layer only adds refusals.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local host = require 'host'
local universe = require 'universe'

local CASES = tonumber(os.getenv 'CONFINE_PROPERTY_CASES') or 2000
-- Not in a test's name: the same tests have the same names in every run.
local SEED = tonumber(os.getenv 'CONFINE_SEED') or os.time()

--- A random layer, its problems, and its statements.
local function random_layer(name, makers, trust)
  local of = universe.statements(makers)
  of.name, of.trust = name, trust
  local layer, problems = host.layer(of)
  return layer, problems, of
end

local function measure(layers)
  local facts, door = universe.host()
  local records = universe.RECORDS
  local resolved = host.resolve { facts = facts, door = door, layers = layers,
    authorities = records.authorities, catalog = universe.CATALOG }
  return universe.measure(resolved, door)
end

describe('layers only add refusals', function()
  it('whatever their order, whatever is added, whoever grants', function()
    -- What a report has in hand goes first, so that this does not land in the middle of a line.
    io.stdout:flush()
    io.stderr:write(('additive_spec: CONFINE_SEED=%d, %d cases\n'):format(SEED, CASES))
    math.randomseed(SEED)
    for case = 1, CASES do
      local function failure(format, ...)
        return ('seed %d, case %d: '):format(SEED, case) .. format:format(...)
      end
      local layers = {}
      for i = 1, math.random(0, 3) do
        layers[i] = random_layer(('l%d.lua'):format(i), universe.BOTH, 'site')
      end
      local before = measure(layers)

      assert.are.same(before, measure(universe.shuffled(layers)),
        failure('the order of layers matters'))

      local trust = universe.pick { 'site', 'project' }
      local added, _, statements = random_layer('added.lua', universe.REFUSING, trust)
      local after = measure(universe.shuffled { added, table.unpack(layers) })
      local given = universe.given_by(statements, trust)
      for thing, left in pairs(before) do
        assert.is_true(given[thing] or after[thing] <= left,
          failure('%s was %d and became %d by a refusing layer', thing, left, after[thing]))
      end

      local project, problems = random_layer('.confine.lua', universe.GRANTING, 'project')
      assert.is_true(#problems > 0, failure('a project layer granted'))
      assert.are.same(before, measure { project, table.unpack(layers) },
        failure('an untrusted grant changed a verdict'))
    end
  end)
end)
