--- GnuPG's sockets are those that gpgconf names and those of other homes.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('gpg discovery', function()
  it('asks gpgconf, whose paths have escapes', function()
    local host, ran = tree.host { answers = { ['gpgconf --list-dirs'] =
      'sysconfdir:/etc/gnupg\nagent-socket:/srv/a%3ab/S.gpg-agent\n'
      .. 'agent-ssh-socket:/srv/a%3ab/S.gpg-agent.ssh\nhomedir:/srv\ndirmngr-socket:/bad%2\n' } }
    local list, problems = tree.discover('gpg', host)
    assert.are.same({ 'gpgconf --list-dirs' }, ran)
    assert.are.same({
      'gpg_agent path /srv/a:b/S.gpg-agent (gpgconf --list-dirs)',
      'ssh_agent path /srv/a:b/S.gpg-agent.ssh (gpgconf --list-dirs)',
    }, list)
    assert.are.same({ 'gpgconf --list-dirs: a broken %-escape: "/bad%2"' }, problems)
  end)

  it('finds the folders of other homes, GNUPGHOME and GPG_AGENT_INFO', function()
    local host = tree.host { env = { GNUPGHOME = '/srv/keys', GPG_AGENT_INFO = '/srv/old/S.a:1:1' },
      sockets = { '/run/user/1000/gnupg/d.abc/S.gpg-agent',
        '/run/user/1000/gnupg/S.gpg-agent.ssh' } }
    assert.are.same({
      'gpg_agent glob /srv/keys/S.* (variable GNUPGHOME)',
      'gpg_agent path /run/user/1000/gnupg/d.abc/S.gpg-agent (socket of GnuPG)',
      'gpg_agent path /srv/old/S.a (variable GPG_AGENT_INFO)',
      'ssh_agent path /run/user/1000/gnupg/S.gpg-agent.ssh (socket of GnuPG)',
    }, (tree.discover('gpg', host)))
  end)
end)
