--- A refusal holds at every moment: while a host starts a daemon anew, makes its folder again or
--- replaces a file, over and over, something inside tries without a pause.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'
local session = require 'tests.rig.session'

local me = rig.me
local ROUNDS = 60
-- Shadowed among many, among few, and by an overlay.
local BASES = { me.home .. '/kept', '/srv/far', '/etc/far' }

local function lua(script, ...)
  local words = table.concat({ ... }, "' '")
  return ("cd /srv/tree && lua5.4 tests/rig/%s.lua '%s'"):format(script, words)
end

--- Tries while the host churns, by `run(line)`, which returns what the line wrote.
-- @return how often it tried and how often it got through
local function insist(way, attempt, path, run)
  local finish = rig.work .. '/over-' .. rig.serial()
  local churn = process.start { argv = place.argv_as(me, { 'sh', '-c',
    lua('churn', way, path, ROUNDS) .. '; : > ' .. finish }) }
  local out = run(lua('insist', attempt, path, finish))
  process.finish(churn, 30)
  os.remove(finish)
  local tries, reached = out:match '^(%d+)%s+(%d+)'
  return tonumber(tries), tonumber(reached)
end

local function outside(line)
  return process.run({ argv = place.argv_as(me, { 'sh', '-c', line }) }).out
end

for _, row in ipairs(session.PLACES) do
  local title, run = row[1], row[2]

  describe(('while the host changes things, as %s, with %s:'):format(me.as, title), function()
    for _, base in ipairs(BASES) do
      local folder = base .. '/deep'

      local function holds(way, attempt, path, opened)
        local tries, reached = insist(way, attempt, path, outside)
        assert.is_true(tries > 100 and reached > 0, ('outside: %d of %d'):format(reached, tries))
        opened.wrap = run.wrap
        local inside = session.open(opened)
        tries, reached = insist(way, attempt, path,
          function(line) return inside:shell(line).out end)
        inside:close()
        assert.is_true(tries > 100, 'too few tries: ' .. tries)
        assert.are.equal(0, reached)
      end

      before_each(function()
        rig.fresh_work()
        rig.remove(base)
        place.folder(base, me)
        place.folder(folder, me)
      end)
      after_each(function()
        rig.stop_all()
        rig.remove(base)
      end)

      for _, way in ipairs { 'bind', 'rename', 'folder' } do
        it(('a refused socket in %s stays refused (%s)'):format(base, way), function()
          local path = folder .. '/engine.sock'
          rig.start('listener', { path = path })
          holds(way, 'connect', path, { env = { DOCKER_HOST = 'unix://' .. path } })
        end)
      end

      it(('a hidden file in %s stays hidden'):format(base), function()
        local path = place.file(folder .. '/token', 'secret', me)
        holds('rewrite', 'open', path, { flags = { '--hide', path } })
      end)
    end
  end)
end
