--- Credential files that no record lists are found by what stands in them, or by name and mode.
local tree = dofile((debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. 'tree.lua')

local TOKEN = '{ "access_token": "abcd1234" }\n'

describe('the search for credentials', function()
  it('finds files with a login in them where settings and data lie', function()
    local list = tree.discover('credentials', tree.host { files = {
      ['/home/u/.house'] = 'password = hunter2\n', ['/home/u/notes'] = 'nothing\n',
      ['/home/u/.tool/auth.json'] = TOKEN, ['/home/u/.config/app/session'] = TOKEN,
      ['/home/u/.config/app/settings'] = 'colour = blue\n',
      ['/home/u/.local/share/app/state'] = TOKEN, ['/home/u/.local/state/app/state'] = TOKEN,
      ['/home/u/.cache/app/x'] = TOKEN, ['/home/u/work/.env'] = TOKEN,
      ['/home/u/.tool/a/b/c'] = TOKEN,
      ['/home/u/.large'] = TOKEN .. (' '):rep(64 * 1024), ['/home/u/.closed'] = { reason = 'x' },
    } })
    local said = ' (a login stands in it)'
    assert.are.same({ 'site_files secret /home/u/.config/app/session' .. said,
      'site_files secret /home/u/.house' .. said,
      'site_files secret /home/u/.local/share/app/state' .. said,
      'site_files secret /home/u/.local/state/app/state' .. said,
      'site_files secret /home/u/.tool/auth.json' .. said }, list)
  end)

  it('follows no links, passes over scripts, and says where it looked at a part only', function()
    local files = { ['/home/u/.x'] = TOKEN, ['/home/u/.root/etc/x'] = TOKEN,
      ['/home/u/.script'] = '#!/bin/sh\nPASSWORD=hunter2\n' }
    for i = 1, 600 do files[('/home/u/.many/%d'):format(i)] = 'x\n' end
    local list, problems = tree.discover('credentials', tree.host { files = files,
      links = { ['/home/u/.x'] = true, ['/home/u/.root'] = true } })
    assert.are.same({}, list)
    assert.are.same({ '/home/u/.many: only the first 512 of 600 names are looked at' }, problems)
  end)

  it('finds private files that are named so', function()
    local host = tree.host {
      files = { ['/home/u/.token'] = 'abcd\n', ['/home/u/.tokens'] = 'abcd\n',
        ['/home/u/.secret'] = '', ['/home/u/.page'] = 'abcd\n' },
      private = { ['/home/u/.token'] = true, ['/home/u/.secret'] = true,
        ['/home/u/.page'] = true },
    }
    assert.are.same({ 'site_files secret /home/u/.token '
      .. '(named as a secret, and only its owner reads it)' }, (tree.discover('credentials', host)))
  end)
end)
