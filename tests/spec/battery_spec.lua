--- The battery: every row has a probe, every probe a row, texts of the host stay texts, and the
--- verdicts follow from what came of the attempts and from what explain claims.

package.path = 'lua/?.lua;lua/?/init.lua;' .. package.path
local battery = require 'confine.battery'
local judge = require 'confine.battery.judge'
local page = require 'confine.views.verify_page'
local protocols = require 'confine.battery.protocols'
local rows = require 'confine.battery.rows'
local sweep = require 'confine.battery.sweep'
local views = require 'confine.views.verify'

local REACHED = { result = 'reached', errno = '', detail = 'connected by its name' }
local REFUSED = { result = 'refused', errno = 'ECONNREFUSED', detail = 'connect' }
local SILENT = { result = 'unavailable', errno = 'EAGAIN', detail = 'connected, but 0 bytes' }
local ABSENT = { result = 'unavailable', errno = 'ENOENT', detail = 'no such file' }

describe('the battery', function()
  local probes = battery.own()

  it('has a probe for each row, and knows the row of each probe', function()
    local has, wrong = {}, {}
    for _, probe in ipairs(probes) do
      has[probe.row] = true
      if not battery.class_of(probe.row) then wrong[#wrong + 1] = 'no row: ' .. probe.row end
    end
    for _, class in ipairs(rows) do
      for _, row in ipairs(class.rows) do
        if not has[row.name] then wrong[#wrong + 1] = 'no probe: ' .. row.name end
      end
    end
    assert.are.same({}, wrong)
  end)

  it('has probes of this form: a title, attempts or a run, known words', function()
    local KNOWN = { name = 1, row = 1, title = 1, attempt = 1, attempts = 1, expects = 1,
      control = 1, control_stdin = 1, names = 1, asks = 1, opened_by = 1, setup = 1, change = 1,
      mode = 1, after = 1, leaves = 1, meanwhile = 1, scene = 1, awaits = 1, start = 1, says = 1,
      stubborn = 1, unless_root = 1, means = 1 }
    local wrong, seen = {}, {}
    for _, probe in ipairs(probes) do
      local id = probe.row .. '/' .. probe.name
      for word in pairs(probe) do
        if not KNOWN[word] then wrong[#wrong + 1] = id .. ': ' .. word end
      end
      local makes = #battery.attempts(probe) > 0 or probe.start or probe.stubborn
      if not (probe.title and makes) or seen[id] then wrong[#wrong + 1] = id end
      seen[id] = true
    end
    assert.are.same({}, wrong)
  end)

  it('fills texts in, and says what is not there', function()
    local value, why = battery.fill({ 'a {x} b', { '{x}{y}', 7 }, '{ z }' }, { x = '1', y = '2' })
    assert.are.same({ 'a 1 b', { '12', 7 }, '{ z }' }, value)
    assert.is_nil(why)
    value, why = battery.fill({ '{x}' }, { x = { unknown = 'no such thing' } })
    assert.are.same({ nil, 'no such thing' }, { value, why })
  end)

  it('stands in for names of a home and a runtime folder only', function()
    for thing, wanted in pairs {
      ['~/.docker/run/docker.sock'] = '{home}/.docker/run/docker.sock',
      ['$XDG_RUNTIME_DIR/gnupg/d.*/S.x'] = '{run}/gnupg/d.x/S.x',
      ['$XDG_CONFIG_HOME/gh'] = '{home}/.config/gh', ['~/.qwe[n]?'] = '{home}/.qwenx',
    } do
      assert.are.equal(wanted, sweep.stand_in(thing))
    end
    for _, thing in ipairs { '/run/docker.sock', '$DOCKER_CONFIG/x', '~/a/$B/c', 'here', '~' } do
      assert.is_nil(sweep.stand_in(thing))
    end
  end)

  it('makes probes of refusals, one for each authority and each record', function()
    local function refusal(noun, thing, from, authority)
      return { noun = noun, verb = noun == 'file' and 'hide' or 'refuse', thing = thing,
        from = from, authority = authority, why = 'why' }
    end
    local made = sweep.probes({
      refusal('socket', '$XDG_RUNTIME_DIR/bus', 'policies/authorities/session_bus.lua',
        'session_bus'),
      refusal('socket', '$XDG_RUNTIME_DIR/bus', '/etc/confine-lua/site.lua:3', 'session_bus'),
      refusal('file', '~/.ssh', 'policies/secrets/ssh.lua'),
      refusal('file', '~/.ssh/config.d', 'policies/secrets/ssh.lua'),
      refusal('file', '~/.netrc', '/etc/confine-lua/site.lua:7'),
    }, { '{home}/.netrc' })
    local names = {}
    for i, probe in ipairs(made) do names[i] = { probe.name, battery.attempts(probe) } end
    assert.are.same({
      { 'authority-session_bus', { { 'bus', '{run}/bus' } } },
      { 'credential-ssh', { { 'find', '{home}/.ssh/config.d', '{secret_hex}' } } },
    }, names)
  end)

  it('asks each authority in its protocol', function()
    for _, row in ipairs { { 'docker', '/run/docker.sock', 'http' }, { 'ssh_agent', '/a', 'agent' },
      { 'keyring', '/r/keyring/control', 'keyring' }, { 'keyring', '/r/keyring/pkcs11', 'connect' },
      { 'keyring', '/r/keyring/.ssh', 'connect' }, { 'x11', '@/tmp/.X11-unix/X0', 'x11' },
      { 'vaultd', '/run/vaultd.sock', 'connect' } } do
      assert.are.same(row, { row[1], row[2], protocols.of(row[1], row[2]) })
    end
  end)
end)

describe('a verdict', function()
  local function status(probe, outside, inside, answer, opened)
    return (judge.try(probe, { attempt = { 'connect', '/x' }, outside = outside, inside = inside,
      answer = answer, opened = opened }))
  end
  local REFUSES, REACHES = { verdict = 'refused' }, { verdict = 'reachable' }

  it('on what must be refused', function()
    assert.are.equal('refused', status({}, REACHED, REFUSED, REFUSES))
    assert.are.equal('open', status({}, REACHED, REACHED, REFUSES))
    assert.are.equal('open', status({}, REFUSED, REACHED, REFUSES))
    assert.are.equal('unproved', status({}, REFUSED, REFUSED, REFUSES))
    assert.are.equal('unproved', status({}, REACHED, ABSENT, REFUSES))
    assert.are.equal('differs', status({}, REACHED, REACHED, REACHES))
    assert.are.equal('granted', status({}, REACHED, REACHED,
      { verdict = 'reachable', granted = true }))
    assert.are.equal('broken', status({}, REACHED, REFUSED, REACHES))
    assert.are.equal('refused', status({}, REACHED, REFUSED))
    assert.are.equal('granted', status({}, REACHED, REACHED, nil, 'site.lua:1'))
  end)

  it('counts a connection although nothing answered', function()
    assert.are.equal('open', status({}, REACHED, SILENT, REFUSES))
  end)

  it('on what must go on working', function()
    local leg = { expects = 'reached' }
    assert.are.equal('works', status(leg, REACHED, REACHED, REACHES))
    assert.are.equal('broken', status(leg, REACHED, REFUSED, REACHES))
    assert.are.equal('broken', status(leg, REACHED, REFUSED))
    assert.are.equal('refused', status(leg, REACHED, REFUSED, REFUSES))
    assert.are.equal('unproved', status(leg, ABSENT, ABSENT))
  end)

  it('on a file goes by what was attempted', function()
    for attempt, allowed in pairs { read = { 'readable', 'protected', 'writable', 'private' },
      write = { 'writable', 'private' }, create = { 'writable', 'private' }, list = { 'readable' },
      variable = { 'passed', 'set' } } do
      for _, verdict in ipairs(allowed) do
        assert.are.equal('reached', judge.claim({ attempt, 'x' }, { verdict = verdict }))
      end
    end
    for attempt, verdict in pairs { read = 'hidden', write = 'protected', create = 'readable',
      find = 'hidden', http = 'refused', variable = 'unset' } do
      assert.are.equal('refused', judge.claim({ attempt, 'x' }, { verdict = verdict }))
    end
  end)

  it('on a probe is that of its worst try that could be made', function()
    local function whole(...)
      local tries = {}
      for i, word in ipairs { ... } do tries[i] = { status = word, why = word } end
      return (judge.whole(tries))
    end
    assert.are.equal('refused', whole('refused', 'unproved'))
    assert.are.equal('open', whole('refused', 'open', 'broken'))
    assert.are.equal('unproved', whole('unproved', 'unproved'))
    assert.are.equal('unproved', whole())
  end)
end)

--- A proof whose texts are as hostile as texts can be.
local function hostile()
  local evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>\27[31m\226\128\174&\''
  return { seconds = 1.5, user = 'ada' .. evil, uid = 7, profiles = { 'default' },
    kernel = { release = '6.18' .. evil }, results = {
      { class = 'sockets', row = 'listed', name = 'host-' .. evil, title = evil, means = evil,
        status = 'open', why = evil, tries = { { attempt = { 'connect', '/run/' .. evil },
          outside = { result = 'reached', errno = '', detail = evil },
          inside = { result = 'refused', errno = evil, detail = evil }, status = 'open',
          answer = { verdict = 'refused', reason = evil, from = evil, remedy = evil } } } },
      { class = 'kernel', row = 'keyring', name = 'k', title = 'a key', status = 'refused',
        tries = {} } } }
end

describe('the results', function()
  it('as a page hold nothing that a host could have written as markup', function()
    local html = page.html(hostile(), '2026-01-01')
    assert.is_nil(html:find '<script')
    assert.is_nil(html:find '<img')
    assert.is_nil(html:find '[%z\1-\9\11-\31\127]')
    assert.is_nil(html:find('\226\128\174', 1, true))
    assert.is_not_nil(html:find('&lt;script&gt;alert(1)&lt;/script&gt;', 1, true))
    for attribute in html:gmatch '%s(%l+)=' do
      local fine = { lang = 1, charset = 1, content = 1, name = 1, class = 1, title = 1, id = 1,
        href = 1, ['equiv'] = 1 }
      -- What stands in the texts is escaped; there an = follows no quoted attribute.
      if not fine[attribute] then
        assert.is_true(attribute == 'src' or attribute == 'onerror' or attribute == 'width',
          attribute)
        assert.is_nil(html:find('<[^>]*%s' .. attribute .. '="'), attribute)
      end
    end
    assert.is_nil(html:find 'https?://')
  end)

  it('as a table hold no control character and tell what is open', function()
    local text = views.text(hostile(), {})
    assert.is_nil(text:find '[%z\1-\9\11-\31\127]')
    assert.is_not_nil(text:find('\n    OPEN         ', 1, true))
    assert.is_not_nil(text:find('\n1 refused, 1 OPEN; 1.5 s$'))
  end)

  it('are coloured on a terminal only', function()
    local done = hostile()
    assert.is_nil(views.text(done, {}):find '\27')
    assert.is_not_nil(views.text(done, { terminal = true }):find '\27%[1;31m')
  end)
end)
