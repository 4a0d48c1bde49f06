-- Plain values: paths, globs, text for terminals, JSON, problems.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local glob = require 'confine.values.glob'
local json = require 'confine.values.json'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local text = require 'confine.values.text'

local FACTS = { homes = { '/home/ada', '/srv/ada' }, runtime_dirs = { '/run/user/7' }, uid = 7,
  user = 'ada', env = { GNUPGHOME = '/g', ODD = 'relative' }, root = '/w' }

describe('paths', function()
  it('have one normal form', function()
    assert.are.equal('/a/c', path.normal '//a/./b/../c/')
    assert.are.equal('/', path.normal '/../..')
  end)

  it('expand ~ to the home of the environment and of the password file', function()
    assert.are.same({ '/home/ada/.ssh', '/srv/ada/.ssh' }, path.expand('~/.ssh', FACTS))
  end)

  it('expand variables, and an unset one stands for nothing', function()
    assert.are.same({ '/run/user/7/bus' }, path.expand('$XDG_RUNTIME_DIR/bus', FACTS))
    assert.are.same({ '/g/S.gpg-agent' }, path.expand('$GNUPGHOME/S.gpg-agent', FACTS))
    assert.are.same({}, path.expand('$UNSET/x', FACTS))
    assert.are.same({}, path.expand('$ODD/x', FACTS))
    assert.are.same({ '/tmp/tmux-7/default' }, path.expand('/tmp/tmux-$UID/default', FACTS))
  end)

  it('keep a `..`, for what it means behind a link only the host knows', function()
    assert.are.equal('/a/b/../c', path.tidy '//a/./b/../c/')
    assert.are.same({ '/a/b/../c' }, path.expand('/a//b/../c', FACTS))
    assert.are.same({ '/w/../x' }, path.expand('../x', FACTS))
    assert.are.same({ '/a/..b/c..' }, path.expand('/a/./..b/c..', FACTS))
  end)

  it('have what a `..` leads to in its place, once that is known', function()
    local facts = setmetatable({ looks = {
      ['/l/..'] = { { path = '/far' } }, ['/w/..'] = { { path = '/' } },
      ['/odd/..'] = { { path = '/a*b' } }, ['/*/..'] = { { path = '/' }, { path = '/far' } },
      ['/*/none/..'] = {} } }, { __index = FACTS })
    for thing, wanted in pairs { ['/l/../a'] = { '/far/a' }, ['/l/..'] = { '/far' },
      ['../x'] = { '/x' }, ['..'] = { '/' }, ['/odd/../x'] = { '/a[*]b/x' },
      ['/*/../x'] = { '/x', '/far/x' }, ['/*/none/../x'] = { '/*/x' } } do
      assert.are.same(wanted, path.expand(thing, facts), thing)
    end
  end)

  it('are relative to the writable root', function()
    assert.are.same({ '/w/.git/hooks' }, path.expand('.git/hooks', FACTS))
    assert.are.same({ '/w' }, path.expand('.', FACTS))
  end)

  it('sort a folder before what it holds', function()
    assert.are.same({ '/a', '/a/b', '/a/b/c', '/a-b', '/b' },
      path.sort { '/b', '/a-b', '/a/b/c', '/a', '/a/b' })
  end)

  it('know the folders between', function()
    assert.are.same({ '/run/user', '/run/user/7' }, path.between('/run', '/run/user/7/bus'))
    assert.are.same({}, path.between('/run', '/run/bus'))
  end)
end)

describe('globs', function()
  it('stay within one component and leave leading dots', function()
    assert.is_true(glob.match('/tmp/ssh-*/agent.*', '/tmp/ssh-x/agent.12'))
    assert.is_false(glob.match('/tmp/*', '/tmp/a/b'))
    assert.is_false(glob.match('/tmp/*', '/tmp/.x'))
    assert.is_true(glob.match('/tmp/.X*', '/tmp/.X11'))
    assert.is_true(glob.match('/a/[!b]x', '/a/cx'))
    assert.is_false(glob.match('/a/[!b]x', '/a/bx'))
    assert.is_true(glob.match('/a/?', '/a/b'))
  end)

  it('can be made of any text literally', function()
    for _, odd in ipairs { '/a/*', '/a/[x]', '/a?b', '/%a+(-)' } do
      assert.is_true(glob.match(glob.literal(odd), odd))
    end
    assert.is_false(glob.match(glob.literal '/a/*', '/a/b'))
  end)

  it('are plain names where all that they hold is literal', function()
    for _, odd in ipairs { '/a/*', '/a/[x]', '/a?b', '/[[]]', '/[*]', '/$x', '/[$]', '/plain',
      '/{a,b}', '/{a,{b,c}', '/a ', '/a \n', '/[ ]', '/[{]a,b}' } do
      assert.is_false(glob.is_glob(glob.literal(odd)))
      assert.are.equal(odd, glob.plain(glob.literal(odd)))
      assert.are.same({}, glob.parts(glob.literal(odd)))
    end
    for _, one in ipairs { '/.claud[e]', '/[*]/?', '/a[*', '/[]]', '/[**]', '/[!*]' } do
      assert.is_true(glob.is_glob(one))
    end
  end)

  it('are cut before each component from the first that is no plain name', function()
    local function parts(pattern)
      local out = {}
      for i, part in ipairs(glob.parts(pattern)) do
        out[i] = ('%s %s%s%s'):format(part.folder, part.name, part.is_glob and ' glob' or '',
          part.is_last and ' last' or '')
      end
      return out
    end
    assert.are.same({ '/v * glob', '/v/* a', '/v/*/a b* glob last' }, parts '/v/*/a/b*')
    assert.are.same({ '/ x? glob last' }, parts '/x?')
    assert.are.same({ '/x[[]1]/y .[a] glob', '/x[[]1]/y/.[a] z[*] last' },
      parts '/x[[]1]/y/.[a]/z[*]')
    assert.are.same({}, parts '/a/b')
  end)
end)

describe('text', function()
  it('never sends a control character to a terminal', function()
    assert.are.equal('a\\e[31mb\\n\\x07', text.visible 'a\27[31mb\n\7')
    assert.are.equal('\\xc2\\x9b31m', text.visible '\194\15531m')
    assert.are.equal('\\xff\\xfe', text.visible '\255\254')
    assert.are.equal('é ✓', text.visible 'é ✓')
    assert.are.equal('\\xe2\\x80\\xae', text.visible '\226\128\174')
  end)

  it('quotes for a shell', function()
    assert.are.equal("'a b'", text.shell 'a b')
    assert.are.equal("'it'\\''s'", text.shell "it's")
    assert.are.equal('--args', text.shell '--args')
  end)
end)

describe('JSON', function()
  it('has sorted keys and reads back', function()
    local value = { b = 1, a = { 'x', { c = true } }, e = {} }
    assert.are.equal(
      '{\n  "a": [\n    "x",\n    {\n      "c": true\n    }\n  ],\n  "b": 1,\n  "e": []\n}',
      json.encode(value))
    assert.are.same(value, json.decode(json.encode(value)))
  end)

  it('takes bytes that are no UTF-8 as Latin-1', function()
    assert.are.equal('"\195\191"', json.encode '\255')
  end)

  it('an empty table is a list, unless it is marked as an object', function()
    assert.are.equal('{\n  "a": {},\n  "b": []\n}', json.encode { a = json.object {}, b = {} })
    assert.are.equal('{\n  "c": 1\n}', json.encode(json.object { c = 1 }))
  end)

  it('tells what is no JSON', function()
    local value, complaint = json.decode '{'
    assert.is_nil(value)
    assert.is_string(complaint)
  end)
end)

describe('problems', function()
  it('name the nearest word', function()
    assert.are.equal('socket', problem.nearest('sokcet', { 'socket', 'env' }))
    assert.is_nil(problem.nearest('zzzzzz', { 'socket', 'env' }))
  end)
end)
