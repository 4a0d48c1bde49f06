--- PostgreSQL on a socket that is on no list. It refuses to run as root, so the ordinary user runs
--- it in either case.
local glob = require 'posix.glob'

local programs = glob.glob('/usr/lib/postgresql/*/bin/postgres', 0) or {}
local program = programs[#programs] or 'postgres'

return {
  packages = { 'postgresql' },
  programs = { program },
  account = 'user',
  --- @param options folder: where its socket lies (default its own in the user's home)
  start = function(account, options)
    local data = '/srv/postgres-' .. math.tointeger(account.uid)
    local folder = options.folder or account.home .. '/database'
    local socket = folder .. '/.s.PGSQL.5432'
    return {
      folders = { { data, 448 }, { folder, 493 }, { account.home, 493 } },
      before = {
        { 'sh', '-c', ('test -e %s/PG_VERSION || %s/initdb --no-sync -D %s'):format(data,
          program:match '^(.*)/', data) },
      },
      argv = { program, '-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off' },
      sockets = { socket },
      ready = { { 'postgres', socket } },
    }
  end,
}
