-- The policy language: each word's examples hold; what is wrong is told with line and nearest word.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local core = require 'confine.core'
local layer = require 'confine.pipeline.layer'
local problem = require 'confine.values.problem'
local words = require 'confine.words'

local function load_text(text, trust)
  local result, message = core.vm.run { name = 'site.lua', text = text, words = words.globals(),
    facts = {}, seconds = 2, bytes = 16 * 1024 * 1024, instructions = 1000000 }
  if not result then return nil, message end
  return layer.load({ name = 'site.lua', trust = trust or 'site' }, result.statements)
end

local function problems_of(text, trust)
  local _, problems = load_text(text, trust)
  local out = {}
  for i, item in ipairs(problems) do out[i] = problem.text(item) end
  return out
end

describe('words', function()
  for _, name in ipairs(words.names()) do
    it(name .. ': has a text and examples that load', function()
      local word = words.find(name)
      assert.is_true(#word.doc > 20)
      assert.is_true(#word.examples > 0)
      for _, example in ipairs(word.examples) do
        local loaded, problems = load_text(example.text)
        assert.are.same({}, problems)
        assert.are.equal(name, loaded.statements[1].word)
        assert.are.equal('site.lua:1', loaded.statements[1].from)
      end
    end)
  end
end)

describe('a policy file', function()
  it('may write a word in three ways', function()
    local loaded = load_text [[
      file.hide '/a'
      file.hide('/b', { why = 'x' })
      file.hide '/c' { why = 'y' }
      file.hide { '/d', '/e', why = 'z' }]]
    local said = {}
    for i, s in ipairs(loaded.statements) do
      said[i] = table.concat(s.things, ' ') .. ' ' .. (s.options.why or '-')
    end
    assert.are.same({ '/a -', '/b x', '/c y', '/d /e z' }, said)
  end)

  it('has all its problems listed, each with its line and the nearest word', function()
    assert.are.same({
      "site.lua:1: unknown word `sokcet.refuse`\n    remedy: did you mean `socket.refuse`?",
      "site.lua:2: net: noen is not one of none, host\n    remedy: did you mean 'none'?",
      "site.lua:3: file.hide: unknown option `wyh`\n    remedy: did you mean `why`?",
      "site.lua:4: limit: unknown limit `wal`\n    remedy: did you mean `wall`?",
    }, problems_of("sokcet.refuse '/x'\nnet 'noen'\nfile.hide { '/x', wyh = 'z' }\n"
      .. "limit { wal = '60s' }"))
  end)

  it('is offered no terminal that this version does not have', function()
    assert.are.same({ 'site.lua:1: tty: pty is not one of none, inherit' },
      problems_of "tty 'pty'")
  end)

  it('cannot reach the host', function()
    assert.are.same({
      'site.lua:1: `os` is not available in a policy\n'
        .. '    remedy: a policy states what is refused and granted; '
        .. 'it has pure builtins and `facts`, nothing else',
    }, problems_of "os.execute 'true'")
  end)

  it('of the writable root may refuse and not grant', function()
    local got = problems_of("file.hide '/x'\nauthority.grant 'docker'\nnet 'host'\nnet 'none'\n"
      .. "include 'agent'", 'project')
    assert.are.equal(3, #got)
    assert.are.equal('site.lua:2: authority.grant is refused here: '
      .. 'this file lies in the writable root, and may only refuse', got[1]:match '^[^\n]+')
    assert.are.equal("site.lua:3: net 'host' is refused here: "
      .. 'this file lies in the writable root, and may only refuse', got[2]:match '^[^\n]+')
  end)

  it('of the writable root names no way up from what stars match', function()
    local said = 'file.hide: /s/*/../%s: a policy of the work tree names no `..` behind a star'
    local texts = "file.hide { '/s/*/../x', why = '/*/..' }\nfile.hide '/s/../x/*'\n"
      .. "file.hide('/s/*', { except = { '/s/*/../y' } })"
    local got = problems_of(texts, 'project')
    assert.are.equal(2, #got)
    for i, name in ipairs { 'x', 'y' } do
      assert.is_truthy(got[i]:find((said:format(name):gsub('^file.hide: ', '')), 1, true), got[i])
    end
    assert.are.same({}, problems_of(texts))
  end)

  it('takes owners by their whole names', function()
    local remedy = '\n    remedy: an owner is the whole name of a program, '
      .. 'without folders and stars'
    assert.are.same({
      'site.lua:1: authority.add: `owners`: vaultd* is a pattern' .. remedy,
      'site.lua:2: authority.add: `owners`: /usr/bin/vaultd is a path' .. remedy,
      'site.lua:3: authority.add: `owners`: vault[d] is a pattern' .. remedy,
    }, problems_of("authority.add('x', { owners = { 'ok', 'vaultd*' } })\n"
      .. "authority.add('x', { owners = { '/usr/bin/vaultd' } })\n"
      .. "authority.add('x', { owners = { 'vault[d]' } })\n"
      .. "authority.add('x', { owners = { 'containerd-shim-runc-v2', 'X Y', 'a.b+c' } })"))
  end)

  it('refuses variables that would stand for nothing', function()
    local further = '    remedy: only $UID and $USER may stand further on; `[$]` is a dollar sign'
    assert.are.same({
      'site.lua:1: file.hide: /s/$PROJ/k: $PROJ does not begin the path\n' .. further,
      'site.lua:2: file.hide: ${HOME}/k: a variable is written without braces\n'
        .. '    remedy: write $HOME; `[$]` is a dollar sign',
      'site.lua:3: socket.refuse: ~/$X.sock: $X does not begin the path\n' .. further,
      'site.lua:4: file.write: $A$B: $B does not begin the path\n' .. further,
      'site.lua:5: authority.add: /a/$UIDS/b: $UIDS does not begin the path\n' .. further,
    }, problems_of("file.hide '/s/$PROJ/k'\nfile.hide '${HOME}/k'\n"
      .. "socket.refuse 'unix://~/$X.sock'\nfile.write '$A$B'\n"
      .. "authority.add('docker', { sockets = { '/a/$UIDS/b' } })"))
    assert.are.same({}, problems_of("file.hide { '$PROJ/k', '/x-$UID/$USER', '/[$]HOME', '/$1' }\n"
      .. "socket.refuse { '$XDG_RUNTIME_DIR/x', '@$any' }"))
  end)

  it('refuses `**`, empty things, wrong types, globs in grants and limits too small', function()
    assert.are.same({
      'site.lua:1: file.hide: `**` in /a/**: a star stays within one component\n'
        .. '    remedy: name the folder itself; hide and protect cover everything below it',
      'site.lua:2: file.hide: a path must not be empty',
      'site.lua:3: file.hide: a path must be a string, got a number',
      'site.lua:4: file.write: /a/*: a grant names its path without stars\n'
        .. '    remedy: `[*]` and `[[]` are these characters themselves',
      'site.lua:5: env.allow: AWS_* is not the name of a variable\n'
        .. '    remedy: a granting word takes exact names only',
      "site.lua:6: limit: `wall` is not a time: soon\n    remedy: write it like '60s', '5m'",
      'site.lua:7: limit: `files` is too small: 31\n'
        .. '    remedy: write 32 or more; with less nothing can be started',
      'site.lua:8: limit: `memory` is too small: 1023K\n'
        .. '    remedy: write 1048576 or more; with less nothing can be started',
      'site.lua:9: limit: `pids` is too small: 7\n'
        .. '    remedy: write 8 or more; with less nothing can be started',
    }, problems_of("file.hide '/a/**'\nfile.hide ''\nfile.hide(7)\nfile.write '/a/*'\n"
      .. "env.allow 'AWS_*'\nlimit { wall = 'soon' }\n"
      .. "limit { files = 31 }\nlimit { memory = '1023K' }\nlimit { pids = 7 }\n"
      .. "limit { files = 32, memory = '1M', pids = 8 }"))
  end)
end)
