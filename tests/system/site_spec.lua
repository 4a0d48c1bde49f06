--- The example site layer at work: what it lets pass, what it hides, and how final that is.
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'
local process = require 'tests.rig.process'

local me = rig.me
local HEX = 'hex:736563726574'
local HIDDEN = {
  '/var/lib/milpa/enrollment.jsonl', '/var/lib/milpa/token-hashes.db',
  '/var/lib/milpa/token-hashes.db-wal', '/etc/milpa/capabilities.json',
  '/var/log/milpa/sessions/1.jsonl', me.home .. '/.local/state/milpa/sessions/2.jsonl',
}

describe('the site layer of milpa, as ' .. me.as .. ':', function()
  setup(function()
    rig.fresh_work()
    -- /var is the machine's own: what the spec writes there stays in the rig's place.
    place.folder '/srv/var-upper'
    place.folder '/srv/var-work'
    local mounted = process.run { argv = { 'mount', '-t', 'overlay', '-o',
      'lowerdir=/var,upperdir=/srv/var-upper,workdir=/srv/var-work', 'rig', '/var' } }
    assert(mounted.code == 0, mounted.err)
    for _, path in ipairs(HIDDEN) do
      place.folder(path:match '^(.*)/', me)
      place.file(path, 'secret', me)
    end
    place.file('/var/lib/milpa/readme', 'plain', me)
    rig.site('site.lua', assert(process.slurp 'policies/sites/milpa.lua'))
  end)
  teardown(function()
    rig.remove '/etc/confine-lua'
    process.run { argv = { 'umount', '/var' } }
  end)

  it('hides the ledger, the token hashes, the capabilities and the session logs', function()
    for _, path in ipairs(HIDDEN) do
      assert.are.same({ path, 'reached' }, { path, rig.outside({ 'find', path, HEX }).result })
      assert.are.same({ path, 'refused' }, { path, rig.inside({ 'find', path, HEX }).result })
    end
    assert.are.equal('reached', rig.inside({ 'read', '/var/lib/milpa/readme' }).result)
  end)

  it('lets MILPA_TRIAL pass and nothing else of its name', function()
    local run = rig.confined { env = { MILPA_TRIAL = '1', MILPA_TOKEN = 'secret' },
      argv = { 'sh', '-c', 'echo "$MILPA_TRIAL,$MILPA_TOKEN"' } }
    assert.are.same({ 0, '1,\n', '' }, { run.code, run.out, run.err })
  end)

  it('is final: no policy and no flag lifts what it hides', function()
    local path = HIDDEN[1]
    local policy = rig.policy('lift', ("include 'default'\nfile.read '%s'\n"):format(path))
    for _, flags in ipairs { { '-p', policy }, { '--write', path }, { '-p', 'agent' } } do
      local finding = rig.inside({ 'find', path, HEX }, { flags = flags })
      assert.are.same({ flags[2], false }, { flags[2], finding.result == 'reached' })
    end
  end)

  it('explain names the line that hides', function()
    local told = rig.run { rig.program, 'explain', 'file:' .. HIDDEN[1] }
    assert.are.equal(0, told.code)
    for _, words in ipairs { 'hidden', '/etc/confine-lua/site.lua:', 'names people' } do
      assert.is_true(told.out:find(words, 1, true) ~= nil, told.out)
    end
  end)
end)
