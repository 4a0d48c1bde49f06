--- The base list: each authority's real daemon answers its own protocol outside, and inside its
--- socket cannot be connected. RIG_AS says as whom (user or root).
package.path = './?.lua;' .. package.path
local rig = require 'tests.rig.rig'
local place = require 'tests.rig.place'

-- name of the test, daemon, options; `shared`: root's socket, open to the account's group;
-- `errno`: the answer inside, where it is not ECONNREFUSED.
local BASE = {
  { 'docker at its usual path', 'podman', { path = '/run/docker.sock', account = 'root' },
    shared = true },
  { 'docker where DOCKER_HOST says', 'listener', { path = rig.me.home .. '/engine/odd.sock' } },
  { 'docker in the runtime folder', 'podman', { path = rig.me.runtime .. '/docker.sock' } },
  { 'podman', 'podman', {} },
  { 'an ssh agent where SSH_AUTH_SOCK says', 'ssh_agent', { path = rig.me.home .. '/keys.sock' } },
  { 'the gcr ssh agent', 'gcr_ssh_agent', {} },
  { 'the keyring and its ssh agent', 'gnome_keyring', {} },
  { 'the session bus', 'session_bus', {} },
  { 'a session bus where its address says', 'session_bus', { path = rig.me.home .. '/odd-bus' } },
  { 'a session bus with an abstract name', 'session_bus', { abstract = '/tmp/dbus-rig' } },
  { 'the system bus', 'system_bus', {} },
  { "the user manager's private socket (a stand-in)", 'systemd_private', {} },
  { "systemd's private socket (a stand-in)", 'systemd_private',
    { path = '/run/systemd/private', account = 'root' }, shared = true },
  { 'a Wayland compositor', 'weston', {} },
  { 'an X server, by path and by abstract name', 'xvfb', {} },
  { 'PipeWire and its sound socket', 'pipewire', {} },
  { 'PulseAudio', 'pulseaudio', {} },
  { 'the gpg agent with its ssh socket', 'gpg_agent', {} },
  { 'tmux', 'tmux', {} },
  { 'screen', 'screen', {} },
  { 'Emacs', 'emacs', {} },
  { 'the accessibility bus', 'at_spi', {} },
  { 'an ssh connection of the user, in a hidden folder', 'ssh_master', {}, errno = 'ENOENT' },
}

--- What came of each attempt, without its words.
local function verdicts(attempts, make)
  local list = {}
  for _, attempt in ipairs(attempts) do
    local finding = make(attempt)
    list[#list + 1] = { attempt = table.concat(attempt, ' '), result = finding.result,
      errno = finding.errno }
  end
  return list
end

local function all(attempts, verdict)
  return verdicts(attempts, function() return verdict end)
end

--- A bare connect to each of a daemon's sockets.
local function connects(daemon)
  local attempts = {}
  for _, socket in ipairs(daemon.sockets) do attempts[#attempts + 1] = { 'connect', socket } end
  return attempts
end

describe('the base list, as ' .. rig.me.as .. ':', function()
  setup(function()
    rig.fresh_work()
    place.folder(rig.me.home .. '/engine', rig.me)
  end)
  after_each(rig.stop_all)

  for _, row in ipairs(BASE) do
    local title, name, options = row[1], row[2], row[3]
    it(title .. ' answers outside and is refused inside', function()
      local lacks = rig.lacks(name)
      if lacks then
        pending(lacks)
        return
      end
      local daemon = rig.start(name, options)
      if row.shared then rig.share(options.path) end

      assert.are.same(all(daemon.ready, { result = 'reached', errno = '' }),
        verdicts(daemon.ready, function(attempt) return rig.outside(attempt) end))
      local run = { env = daemon.exports }
      local refused = { result = 'refused', errno = row.errno or 'ECONNREFUSED' }
      assert.are.same(all(connects(daemon), refused),
        verdicts(connects(daemon), function(attempt) return rig.inside(attempt, run) end))
      assert.are.same(all(daemon.ready, refused),
        verdicts(daemon.ready, function(attempt) return rig.inside(attempt, run) end))
      for _, socket in ipairs(daemon.sockets) do
        local told = rig.run({ rig.program, 'explain', socket }, run)
        assert.are.equal(socket .. ': refused', told.out:match '^[^\n]*')
      end
    end)
  end

  it('the Docker engine itself answers outside and is refused inside #long', function()
    local lacks = rig.lacks 'dockerd'
    if lacks then
      pending(lacks)
      return
    end
    local daemon = rig.start('dockerd', { group = rig.me.name })
    assert.are.equal('reached', rig.outside({ 'http', '/run/docker.sock' }).result)
    local inside = rig.inside({ 'http', '/run/docker.sock' }, { env = daemon.exports })
    assert.are.equal('ECONNREFUSED', inside.errno)
  end)

  it('containerd answers outside and is refused inside #long', function()
    local lacks = rig.lacks 'containerd'
    if lacks then
      pending(lacks)
      return
    end
    local daemon = rig.start('containerd')
    rig.share(daemon.sockets[1])
    assert.are.equal('reached', rig.outside(daemon.ready[1]).result)
    assert.are.equal('ECONNREFUSED', rig.inside(daemon.ready[1]).errno)
  end)
end)
