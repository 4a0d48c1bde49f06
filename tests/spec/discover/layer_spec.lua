--- A layer of findings is the same bytes for the same findings, and means just what was found.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')
local assemble = require 'scripts.assemble'
local glob = require 'confine.values.glob'
local layer = require 'scripts.layer'
local shapes = require 'confine.words.shapes'
local words = require 'confine.words'

--- What a layer's text says, by running it.
local function said_by(text)
  local said = {}
  local function add(name, fields) said[#said + 1] = { name, fields } end
  assert(load(text, '=layer', 't', { authority = { add = add } }))()
  return said
end

local function text_of(findings) return layer.text(layer.statements(findings)) end

describe('a layer', function()
  it('puts each kind of finding where its record has it', function()
    local text = text_of {
      { authority = 'x11', abstract = '/tmp/.X11-unix/X7', source = 'variable DISPLAY' },
      { authority = 'docker', path = '/srv/d.sock', source = 'b' },
      { authority = 'docker', path = '/srv/d.sock', source = 'a' },
      { authority = 'docker', tcp = '127.0.0.1:2375', source = 'a' },
      { authority = 'docker', secret = '/srv/keys', source = 'a' },
      { authority = 'ssh_master', glob = '/srv/cm-*', source = 'a' },
    }
    assert.are.equal(layer.HEADER .. [[

-- a
authority.add('docker', { secrets = { '/srv/keys' } })

-- a; b
authority.add('docker', { sockets = { '/srv/d.sock' } })

-- a
authority.add('docker', { tcp = { '127.0.0.1:2375' } })

-- a
authority.add('ssh_master', { sockets = { '/srv/cm-*' } })

-- variable DISPLAY
authority.add('x11', { abstract = { '/tmp/.X11-unix/X7' } })
]], text)
  end)

  it('does not depend on the order of findings', function()
    local findings = {}
    for i = 1, 20 do
      findings[i] = { authority = 'a' .. i % 3, path = '/p' .. i % 7, source = 's' .. i % 5 }
    end
    local text = text_of(findings)
    for i = 1, 10 do table.insert(findings, table.remove(findings, i)) end
    assert.are.equal(text, text_of(findings))
  end)

  it('keeps hostile names within their string, and out of the comments', function()
    for _, name in ipairs { "/a'b\\c\"d", '/a\nb', '/a\27[31m', '/a\0b', '/\xff\xfe', '/\xc2\x9bm',
      "/' }) os.exit(1) --", '/]]', '/ünïcode', '/a\rb' } do
      local text = text_of { { authority = 'x', path = name, source = '\n' .. name } }
      local pattern = require('confine.values.endpoint').literal(name)
      assert.are.same({ { 'x', { sockets = { pattern } } } }, said_by(text))
      assert.is_nil(text:gsub('\n', ''):find('%c'))
    end
  end)

  it('means a name with stars, brackets or dollars as it stands', function()
    local text = text_of { { authority = 'x', path = '/a*[b]?$HOME', source = 's' } }
    assert.are.same({ { 'x', { sockets = { '/a[*][[]b][?][$]HOME' } } } }, said_by(text))
  end)

  it('is taken by the policy language, whatever is found', function()
    for _, name in ipairs { '/a ', '/a\n', ' /a', '/{a,b}.sock', '/{a,{b,c}}', '/${HOME}',
      '/[[:x:]]', '/a**b', '/[ ]', '/~x', '/a/unix:/b' } do
      local text = text_of { { authority = 'x', path = '/srv' .. name, source = 's' } }
      local said = said_by(text)[1]
      local word = words.find 'authority.add'
      local things, _, complaint = shapes.addition(said, word)
      assert.is_truthy(things, ('%s: %s'):format(name, complaint))
      local item = said[2].sockets[1]
      assert.are.same({ '/srv' .. name, false }, { glob.plain(item), glob.is_glob(item) })
    end
  end)

  it('tells what changed', function()
    local one = { authority = 'a', path = '/one', source = 's' }
    local two = { authority = 'a', path = '/two', source = 't' }
    local old = text_of { one }
    assert.are.same({}, layer.difference(old, layer.statements { one }))
    assert.are.same({
      { sign = '-', statement = "authority.add('a', { sockets = { '/one' } })",
        why = 'no longer found' },
      { sign = '+', statement = "authority.add('a', { sockets = { '/two' } })", why = 't' },
    }, layer.difference(old, layer.statements { two }))
  end)

  it('is known by its header', function()
    assert.is_true(layer.is_generated(text_of {}))
    assert.is_true(layer.is_current(text_of {}))
    assert.is_false(layer.is_generated "authority.refuse 'docker'\n")
  end)
end)

describe('assembling', function()
  local function run(findings)
    return assemble.run(tree.host {}, {
      { name = 'a', discover = function() return findings, { 'a problem' } end } })
  end

  it('writes what no record names', function()
    local result = run {
      { authority = 'docker', path = '/run/docker.sock', source = 's' },
      { authority = 'podman', path = '/run/user/1000/podman/x.sock', source = 's' },
      { authority = 'docker', secret = '/home/u/.docker/contexts/tls/7fb1', source = 's' },
      { authority = 'docker', tcp = 'localhost:2375', source = 's' },
      { authority = 'x11', abstract = '/tmp/.X11-unix/X0', source = 's' },
      { authority = 'docker', path = '/srv/d.sock', source = 's' },
    }
    assert.are.equal(5, #result.known)
    assert.are.equal(1, #result.written)
    assert.are.equal('/srv/d.sock', result.written[1].finding.path)
    assert.are.same({ 'a problem' }, result.problems)
  end)

  it('leaves out what is gone at the next login', function()
    local result = run {
      { authority = 'session_bus', path = '/tmp/dbus-aBcD', source = 's' },
      { authority = 'ssh_agent', path = '/srv/agent.4711', pid = 4711, source = 's' },
      { authority = 'ssh_agent', path = '/srv/agent.4712', pid = 471, source = 's' },
    }
    assert.are.equal(2, #result.passing)
    assert.are.equal('/srv/agent.4712', result.written[1].finding.path)
  end)

  it('does not take a record\'s own variable for a name that lasts', function()
    local host = tree.host { env = { XAUTHORITY = '/srv/xauth' } }
    local session = require 'scripts.discover.session'
    local result = assemble.run(host, { session })
    assert.are.equal("authority.add('x11', { secrets = { '/srv/xauth' } })",
      result.written[1].statement)
  end)
end)
