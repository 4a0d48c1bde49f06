-- The property of additive refusals over real layer files, read as a run reads them: the site's,
-- the user's, a given one and a project's, and records that a site drops in.

package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;build/luaposix/share/?.lua;'
  .. package.path
package.cpath = 'build/luaposix/lib/?.so;' .. package.cpath
local assemble = require 'confine.pipeline.assemble'
local endpoints = require 'confine.endpoints'
local folders = require 'confine.values.policy_folders'
local sources = require 'confine.doors.sources'
local stat = require 'posix.sys.stat'
local universe = require 'universe'

local CASES = (tonumber(os.getenv 'CONFINE_PROPERTY_CASES') or 2000) // 10
local SEED = tonumber(os.getenv 'CONFINE_SEED') or os.time()

local SITE = folders.SITE
local place, umask

local function shell(format, ...)
  assert(os.execute(format:format(...)))
end

--- A value of a statement as Lua text.
local function lua_text(value)
  if type(value) ~= 'table' then return ('%q'):format(value) end
  local parts = {}
  for key, item in pairs(value) do
    parts[#parts + 1] = type(key) == 'number' and lua_text(item) or key .. ' = ' .. lua_text(item)
  end
  return '{ ' .. table.concat(parts, ', ') .. ' }'
end

--- Statements as the text of a policy file, one a line.
local function policy_text(statements)
  local lines = {}
  for i, s in ipairs(statements) do
    local args = {}
    for at = 2, #s do args[at - 1] = lua_text(s[at]) end
    lines[i] = ('%s(%s)\n'):format(s[1], table.concat(args, ', '))
  end
  return table.concat(lines)
end

--- Where a trusted layer may stand, below the folder of the spec.
local SLOTS = { 'site/site.lua', 'site/site.d/10-a.lua', 'site/site.d/90-b.lua',
  'config/confine-lua/user.lua', 'config/confine-lua/user.d/50-c.lua', 'given.lua' }

--- The files of a run, written anew; what is not among them is removed.
-- @param files map name -> text
local function write(files)
  for _, slot in ipairs(SLOTS) do os.remove(place .. '/' .. slot) end
  for _, name in ipairs { 'work/.confine.lua', 'site/authorities/docker.lua' } do
    os.remove(place .. '/' .. name)
  end
  for name, text in pairs(files) do
    local handle = assert(io.open(place .. '/' .. name, 'w'))
    handle:write(text)
    handle:close()
  end
end

--- Reads the files as a run does, in the small universe.
-- @return what is left of each of its things, and the problems of the files
local function measure(files)
  write(files)
  local env = { XDG_CONFIG_HOME = place .. '/config' }
  for name, value in pairs(universe.ENV) do env[name] = value end
  local facts, door = universe.host { env = env }
  local real_root = facts.root
  -- The files are read at a real root; the things are those of the made-up one.
  facts.root = place .. '/work'
  local input, problems = sources.read(facts, { policies = files['given.lua']
    and { place .. '/given.lua' } or {} })
  facts.root = real_root
  local authorities = { table.unpack(universe.RECORDS.authorities) }
  for _, item in ipairs(input.records.authorities) do
    if item.trust ~= 'builtin' then authorities[#authorities + 1] = item end
  end
  input.records.authorities, input.catalog = authorities, universe.CATALOG
  local policy = assemble.policy(input, facts, endpoints.find)
  return universe.measure(assert(assemble.complete(policy, facts, door, true)), door), problems
end

--- Puts layers into slots.
local function placed(layers, slots)
  local files = {}
  for i, statements in ipairs(layers) do files[slots[i]] = policy_text(statements) end
  return files
end

local function with(files, name, text)
  local out = { [name] = text }
  for key, value in pairs(files) do out[key] = out[key] or value end
  return out
end

--- A record file that adds to a known authority, and the statement that says the same.
local function drop_in()
  local where = universe.pick(universe.SOCKETS)
  return ("return record { name = 'docker', sockets = { '%s' } }\n"):format(where),
    { { 'authority.add', 'docker', { sockets = { where } } } }
end

describe('layer files only add refusals', function()
  setup(function()
    -- What the group may write is refused, and 0002 is common.
    umask = stat.umask(tonumber('022', 8))
    local pipe = io.popen('mktemp -d')
    place = pipe:read('l')
    pipe:close()
    for _, folder in ipairs { 'site/site.d', 'site/authorities', 'config/confine-lua/user.d',
      'work' } do
      shell("mkdir -p '%s/%s'", place, folder)
    end
    folders.SITE = place .. '/site'
  end)
  teardown(function()
    folders.SITE = SITE
    shell("rm -rf '%s'", place)
    stat.umask(umask)
  end)

  it('wherever they stand, whatever is added, whoever grants', function()
    io.stdout:flush()
    io.stderr:write(('additive_files_spec: CONFINE_SEED=%d, %d cases\n'):format(SEED, CASES))
    math.randomseed(SEED)
    for case = 1, CASES do
      local function failure(format, ...)
        return ('seed %d, case %d: '):format(SEED, case) .. format:format(...)
      end
      local layers = {}
      for i = 1, math.random(0, 3) do layers[i] = universe.statements(universe.BOTH) end
      local slots = universe.shuffled(SLOTS)
      local files = placed(layers, slots)
      local before, problems = measure(files)
      assert.are.same({}, problems, failure('the files have problems'))

      assert.are.same(before, (measure(placed(layers, universe.shuffled(SLOTS)))),
        failure('the place of layers matters'))

      local name = universe.pick { slots[4], 'work/.confine.lua', 'site/authorities/docker.lua' }
      local added = universe.statements(universe.REFUSING)
      local text = policy_text(added)
      if name == 'site/authorities/docker.lua' then text, added = drop_in() end
      local after
      after, problems = measure(with(files, name, text))
      assert.are.same({}, problems, failure('the added file has problems'))
      local given = universe.given_by(added, name == 'work/.confine.lua' and 'project' or 'site')
      for thing, left in pairs(before) do
        assert.is_true(given[thing] or after[thing] <= left, failure(
          '%s was %d and became %d by the refusals of %s', thing, left, after[thing], name))
      end

      local project
      project, problems = measure(with(files, 'work/.confine.lua',
        policy_text(universe.statements(universe.GRANTING))))
      assert.is_true(#problems > 0, failure('a project granted'))
      for _, item in ipairs(problems) do
        assert.are.equal(place .. '/work/.confine.lua', item.from:match('^(.*):%d+$'))
      end
      assert.are.same(before, project, failure('an untrusted grant changed a verdict'))
    end
  end)
end)
