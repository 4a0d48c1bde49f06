-- `require 'confine'`, what specs and scripts ask a policy with, answers as the commands do.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local confine = require 'confine'

local function with_policy(text, use)
  local file = os.tmpname()
  local handle = assert(io.open(file, 'w'))
  handle:write(text)
  handle:close()
  local ok, problem = pcall(use, file)
  os.remove(file)
  if not ok then error(problem, 0) end
end

describe('the library', function()
  it('tells what holds for a thing, with reason and line', function()
    with_policy("include 'default'\nfile.hide { '/srv/ledger', why = 'names people' }\n",
      function(file)
        local answer = assert(confine.explain('file:/srv/ledger', { policy = file }))
        assert.are.same({ '/srv/ledger', 'hidden', file .. ':2', 'names people' },
          { answer.thing, answer.verdict, answer.from, answer.why })
      end)
  end)

  it('takes several policies, and answers by the profiles alone without one', function()
    local answer = assert(confine.explain('env:TERM', { policy = { 'default', 'agent' } }))
    assert.are.equal('policies/agent.lua', answer.from:match '^[^:]+')
    assert.are.equal('nothing passes by default', assert(confine.explain('env:TERM')).reason)
  end)

  it('lists all problems of a policy, and gives them instead of an answer', function()
    with_policy("file.hid '/x'\nnet 'noen'\n", function(file)
      local wanted = {
        file .. ':1: unknown word `file.hid`\n    remedy: did you mean `file.hide`?',
        file .. ":2: net: noen is not one of none, host\n    remedy: did you mean 'none'?",
      }
      assert.are.same({ wanted, {} }, { confine.check { policy = file } })
      assert.are.same({ n = 2, nil, table.concat(wanted, '\n') },
        table.pack(confine.explain('/x', { policy = file })))
    end)
  end)

  it('lists what would stop every run here', function()
    local text = "file.write '/'\ndevice.grant '/dev/none'\nfile.write '/proc/sys'\n"
      .. "file.hide '/proc'\n"
    with_policy(text, function(file)
      local seen = {}
      for _, problem in ipairs((confine.check { policy = file })) do
        seen[#seen + 1] = problem:match ':(%d): '
      end
      table.sort(seen)
      assert.are.equal(file and '4', table.concat(seen))
    end)
    with_policy((text:gsub('[^\n]*hide[^\n]*', '')), function(file)
      assert.are.equal(3, #(confine.check { policy = file }))
    end)
  end)

  it('lists what is doubtful in a sound policy', function()
    with_policy("env.allow 'HOUSE_TOKEN'\n", function(file)
      local problems, warnings = confine.check { policy = file }
      assert.are.same({ {}, { file .. ':1: HOUSE_TOKEN looks like the name of a secret, and its '
        .. 'value would be readable inside' } }, { problems, warnings })
    end)
  end)

  it('lists what a run with a sound policy would refuse', function()
    with_policy("device.grant '/dev/nosuch'\nfile.write '/sys/kernel'\n", function(file)
      assert.are.same({ file .. ':1: device.grant: /dev/nosuch is no device of this host',
        file .. ":2: file.write: /sys/kernel is no place to write to: what lies there are the "
        .. "kernel's settings, for the whole host\n    remedy: remove the line; /sys can be read" },
        (confine.check { policy = file }))
    end)
  end)

  it('tells of facts that there are not, and of a layer that returns what it means', function()
    with_policy("if facts.hostnam then file.hide '/srv' end\n", function(file)
      assert.are.same({ file .. ":1: there is no fact 'hostnam' here; the facts are: cwd, env, "
        .. 'gid, home, kernel, root, runtime_dir, uid, user, version' },
        (confine.check { policy = file }))
    end)
    with_policy("if facts.runtime_dir or facts.env.NO then end for _ in pairs(facts) do end\n",
      function(file) assert.are.same({}, (confine.check { policy = file })) end)
    with_policy("return { net = 'none' }\n", function(file)
      assert.are.same({ file .. ': returns a value, which means nothing here\n    remedy: a layer '
        .. "is made of statements: net 'none', file.hide '/srv/x'" },
        (confine.check { policy = file }))
    end)
  end)

  it('takes a star that is written as itself for a name, also of what is granted', function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute(("mkdir '%s*'"):format(folder)))
    with_policy(("file.write '%s[*]'\n"):format(folder), function(file)
      assert.are.same({ n = 2, {}, {} }, table.pack(confine.check { policy = file }))
    end)
    assert(os.execute(("rmdir '%s*'"):format(folder)))
  end)

  it('says that a thing does not exist', function()
    assert.are.same({ n = 2, nil, "no authority is named 'dokcer'" },
      table.pack(confine.explain 'authority:dokcer'))
  end)
end)
