--- What is refused before it is there: by a star in the middle of a name, below folders that are
-- absent under several names, below the value of a variable; explain says the same.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local session = require 'tests.rig.session'

local me, verdict = rig.me, session.verdict
local SECRET, HEX = 'late-secret', 'hex:6c6174652d736563726574'

local function path_of(name) return name:match '^(.*)/' end

--- The verdict of `explain` on a thing.
local function explained(flags, thing, env)
  local argv = { rig.program, 'explain', table.unpack(flags) }
  argv[#argv + 1] = thing
  local outcome = rig.run(argv, { env = env })
  return outcome.out:match '^[^\n]*: (%w+)\n' or outcome.err
end

for _, row in ipairs(session.PLACES) do
  local title, run = row[1], row[2]

  describe(('what comes late, as %s, with %s:'):format(me.as, title), function()
    local inside
    local kept = me.home .. '/kept'

    before_each(function()
      rig.fresh_work()
      rig.remove(kept)
      place.folder(kept, me)
      inside = nil
    end)
    after_each(function()
      if inside then inside:close() end
      rig.stop_all()
    end)

    --- Starts the shell.
    local function open(flags, env)
      inside = session.open { env = env, flags = flags, wrap = run.wrap }
    end

    it('what a kept layer has of hidden names is hidden', function()
      local private = ("file.private { '%s', keep = true }\n"):format(kept)
      local hides = ("file.hide { '%s/token', '%s/*.key', '%s/d/x', '%s/e/x' }\n")
        :format(kept, kept, kept, kept)
      place.folder(kept .. '/d', me)
      local NAMES, made = { 'token', 'a.key', 'd/x', 'e/x' }, { 'mkdir -p e' }
      for _, name in ipairs(NAMES) do made[#made + 1] = ('echo %s > %s'):format(SECRET, name) end
      local function ask(policy, line)
        return rig.confined { wrap = run.wrap, flags = { '-p', 'default', '-p', policy },
          argv = { 'sh', '-c', 'cd ' .. kept .. ' || exit; ' .. line } }
      end
      assert.are.equal(0, ask(rig.policy('plain', private), table.concat(made, ' && ')).code)
      for _, name in ipairs(NAMES) do
        assert.are.equal(SECRET .. '\n', ask(rig.policy('plain', private), 'cat ' .. name).out)
        assert.are.same({ name, '' }, { name,
          ask(rig.policy('hiding', private .. hides), 'cat ' .. name).out })
      end
    end)

    it('what the host makes does not land behind a link that the command put there', function()
      local flags = { '-p', 'default', '-p', rig.policy('absent',
        "socket.refuse 'agents/a.sock'\nfile.hide { 'conf/key', 'token' }\n") }
      local function plant(shell) shell 'mkdir o; ln -s o agents; ln -s o conf; ln -s o/t token' end
      local function make()
        local made = rig.run { 'sh', '-ec', ([[
          mkdir -p agents conf; echo %s > conf/key; echo %s > token]]):format(SECRET, SECRET) }
        assert.are.same({ 0, '' }, { made.code, made.err })
        rig.start('listener', { path = rig.work .. '/agents/a.sock' })
      end
      local tries = { { 'find', rig.work .. '/o/key', HEX }, { 'find', rig.work .. '/o/t', HEX },
        { 'http', rig.work .. '/o/a.sock' } }
      plant(function(line) return rig.run { 'sh', '-c', line } end)
      make()
      for i, attempt in ipairs(tries) do
        assert.are.same({ i, 'reached' }, { i, verdict(rig.outside(attempt)) })
      end
      rig.stop_all()
      rig.fresh_work()
      open(flags)
      plant(function(line) return inside:shell(line) end)
      make()
      for i, attempt in ipairs(tries) do
        local listed = { attempt[1], (attempt[2]:gsub('/o/t$', '/token'):gsub('/o/a', '/agents/a')
          :gsub('/o/', '/conf/')), attempt[3] }
        assert.are.same({ i, 'reached' }, { i, verdict(rig.outside(listed)) })
        assert.are_not.equal('reached', inside:attempt(listed).result)
        assert.are_not.equal('reached', inside:attempt(attempt).result)
      end
    end)

    it('a socket below a star is refused, in a folder that is there and in a new one', function()
      local colima = me.home .. '/.colima'
      rig.remove(colima)
      local folders, lines = { colima .. '/default', colima .. '/late' }, {}
      for i, name in ipairs { '/srv/star', '/run/star', kept .. '/star' } do
        place.folder(name, me)
        lines[i] = ("socket.refuse '%s/*/agent.sock'\n"):format(name)
        folders[#folders + 1], folders[#folders + 2] = name .. '/there', name .. '/late'
      end
      local function is_late(name) return name:find '/late$' ~= nil end
      for _, name in ipairs(folders) do
        place.folder(path_of(name), me)
        if not is_late(name) then place.file(place.folder(name, me) .. '/page', 'kept', me) end
      end
      local flags = { '-p', 'default', '-p', rig.policy('stars', table.concat(lines)) }
      open(flags)
      for _, name in ipairs(folders) do
        place.folder(name, me)
        local path = name .. (path_of(name) == colima and '/docker.sock' or '/agent.sock')
        local daemon = rig.start('listener', { path = path })
        assert.are.same({ name, 'reached' }, { name, verdict(rig.outside(daemon.ready[1])) })
        assert.are.same({ name, {} }, { name, inside:lapses(daemon.ready[1]) })
        assert.are.same({ path, 'refused' }, { path, explained(flags, path) })
        assert.are.same({ name, is_late(name) and '' or 'kept' },
          { name, inside:shell('cat ' .. name .. '/page').out })
        rig.stop(daemon)
      end
      for _, name in ipairs(folders) do rig.remove(path_of(name)) end
    end)

    it('a folder that the command makes where a star looks is its own', function()
      local parts = place.folder(rig.work .. '/parts', me)
      place.folder(parts .. '/there', me)
      open { '-p', 'default', '-p', rig.policy('parts', "file.hide 'parts/*/key'\n") }
      assert.are.same({ code = 0, out = 'mine\n', err = '' }, inside:shell(
        'mkdir parts/new && sleep 0.3 && echo mine > parts/new/page && cat parts/new/page'))
      place.file(parts .. '/there/key', 'secret', me)
      local attempt = { 'read', parts .. '/there/key' }
      assert.are.equal('reached', verdict(rig.outside(attempt)))
      assert.are.same({}, inside:lapses(attempt))
    end)

    it('a file in a configuration folder that comes late is hidden by each of its names', function()
      local home, real = me.home .. '/linked', me.home .. '/real'
      local elsewhere = me.home .. '/elsewhere'
      local tool = rig.policy('tool', "file.private '~/.config/tool'\n")
      local layouts = {
        { name = 'a linked home', links = { [home] = 'real' }, config = real .. '/.config' },
        { name = 'a dangling link', links = { [real .. '/.config'] = '../elsewhere' },
          home = real, config = elsewhere },
        { name = 'a private place', home = real, flags = { '-p', 'default', '-p', tool },
          config = real .. '/.config' },
      }
      for _, layout in ipairs(layouts) do
        for _, path in ipairs { home, real, elsewhere } do rig.remove(path) end
        place.folder(real, me)
        for link, target in pairs(layout.links or {}) do rig.symlink(target, link) end
        local env = { HOME = layout.home or home }
        open(layout.flags, env)
        place.folder(place.folder(layout.config, me) .. '/gh', me)
        place.file(layout.config .. '/gh/hosts.yml', SECRET, me, 384)
        for _, folder in ipairs { env.HOME .. '/.config', layout.config } do
          local attempt = { 'find', folder .. '/gh/hosts.yml', HEX }
          local name = layout.name
          assert.are.same({ name, 'reached' }, { name, verdict(rig.outside(attempt)) })
          assert.are.same({ layout.name, {} }, { layout.name, inside:lapses(attempt) })
          assert.are.same({ layout.name, 'hidden' }, { layout.name,
            explained(layout.flags or {}, attempt[2], env) })
        end
        inside:close()
        inside = nil
      end
      for _, path in ipairs { home, real, elsewhere } do rig.remove(path) end
    end)

    it('a file that a variable names is hidden when it comes, whatever its value holds', function()
      local policy = rig.policy('odd', "file.hide '$ODD/sec'\nfile.hide '$ODD/*/sec'\n")
      local flags = { '-p', 'default', '-p', policy }
      for _, folder in ipairs { '/srv/x[1]', me.home .. '/x[1]', me.home .. '/x*', '/run/x?y' } do
        place.folder(place.folder(folder, me) .. '/there', me)
        local env = { ODD = folder, GNUPGHOME = folder .. '/gpg', XDG_CONFIG_HOME = folder .. '/c' }
        open(flags, env)
        for _, name in ipairs { 'sec', 'there/sec', 'late/sec', 'gpg/trustdb.gpg',
          'c/gh/hosts.yml' } do
          local path = folder .. '/' .. name
          for _, part in ipairs { path_of(path_of(path)), path_of(path) } do
            if part:find(folder, 1, true) then place.folder(part, me) end
          end
          place.file(path, SECRET, me, 384)
          local attempt = { 'find', path, HEX }
          assert.are.same({ path, 'reached' }, { path, verdict(rig.outside(attempt)) })
          assert.are.same({ path, {} }, { path, inside:lapses(attempt) })
          assert.are.same({ path, 'hidden' }, { path, explained(flags, path, env) })
        end
        inside:close()
        inside = nil
        rig.remove(folder)
      end
    end)
  end)
end
