--- A site's plain list needs no Lua.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

describe('the plain list', function()
  it('takes paths, globs, @names and authorities, one a line', function()
    local list, problems = tree.discover('plain', tree.host { tree = 'plain' })
    local site, own = ' (list /etc/confine-lua/sockets.list)',
      ' (list /home/u/.config/confine-lua/sockets.list)'
    assert.are.same({
      'docker path /srv/house/engine' .. site,
      'site_sockets abstract house/bus' .. site,
      'site_sockets glob $XDG_RUNTIME_DIR/mine' .. own,
      'site_sockets glob /srv/house/*.sock' .. site,
      'site_sockets path /srv/house/url' .. site,
      'ssh_agent glob ~/agents/mine' .. own,
    }, list)
    assert.are.same({
      '/etc/confine-lua/sockets.list:7: not an absolute path, a glob without ** or an @name: '
        .. '"relative/path"',
      '/etc/confine-lua/sockets.list:8: not an absolute path, a glob without ** or an @name: '
        .. '"/srv/**/x"',
    }, problems)
  end)

  it('refuses control characters, escaped', function()
    local _, problems = tree.discover('plain', tree.host { files = {
      ['/etc/confine-lua/sockets.list'] = '/srv/a\27[2J\n' .. (' '):rep(900000) .. '\n' } })
    assert.are.same({
      '/etc/confine-lua/sockets.list:1: holds control characters: "/srv/a\\e[2J"' }, problems)
  end)
end)
