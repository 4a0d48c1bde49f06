--- Daemons' command lines name their sockets in each way that getopt and its kin allow.
local ROOT = (debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. '../../../'
package.path = ROOT .. 'lua/?.lua;' .. package.path
local endpoints = require 'confine.endpoints'

local FACTS = { uid = 1000, runtime_dir = '/run/user/1000' }

local CASES = {
  { 'ssh-agent -D -a /a.sock', { { path = '/a.sock' } } },
  { 'ssh-agent -Da /a.sock', { { path = '/a.sock' } } },
  { 'ssh-agent -a/a.sock', { { path = '/a.sock' } } },
  { 'ssh-agent -D', {} },
  { 'ssh-agent -a', {} },
  { 'ssh-agent -a relative', {} },
  { 'dockerd -H fd:// -H tcp://0.0.0.0:99', { { fd = 3 }, { tcp = '0.0.0.0:99' } } },
  { 'dockerd --host=unix:///d.sock', { { path = '/d.sock' } } },
  { 'containerd --address /c.sock', { { path = '/c.sock' } } },
  { 'podman --log-level info system service --time=0 unix:///p.sock', { { path = '/p.sock' } } },
  { 'dbus-daemon --session --address=unix:path=/b', { { path = '/b' } } },
  { 'weston --socket=wl', { { path = '/run/user/1000/wl' } } },
  { 'Xvfb :97 -screen 0',
    { { path = '/tmp/.X11-unix/X97' }, { abstract = '/tmp/.X11-unix/X97' } } },
  { 'tmux -S /t new', { { path = '/t' } } },
  { 'ssh -M -S /cm host', { { path = '/cm' } } },
  { 'postgres -a /pg', {} },
}

describe('the command line of a daemon', function()
  for _, case in ipairs(CASES) do
    it('names the sockets of `' .. case[1] .. '`', function()
      local words = {}
      for word in case[1]:gmatch('%S+') do words[#words + 1] = word end
      assert.are.same(case[2], endpoints.of_command(words[1], words, FACTS))
    end)
  end

  it('may be hostile', function()
    assert.are.same({}, endpoints.of_command('ssh-agent', { 'x', '-a', '/a\27' }, FACTS))
    assert.are.same({}, endpoints.of_command('ssh-agent', { 'x', ('-'):rep(1000000) }, FACTS))
    assert.are.same({}, endpoints.of_command('ssh-agent', {}, FACTS))
  end)
end)
