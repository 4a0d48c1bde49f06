-- strict: default, with the home hidden but for the work tree, and only granted sockets reachable.
--
-- For commands that need nothing of the user: builds and tests of unknown code. Programs installed
-- below the home (~/.local/bin, ~/.cargo/bin, ~/.nvm) are hidden as well: `file.read '~/.nvm'` in a
-- trusted layer shows them again.

include 'default'

-- A /proc of its own, or no run.
proc 'fresh'

-- No socket of the host: one by one with `socket.grant '/run/postgresql/.s.PGSQL.5432'`.
socket.default 'refused'

-- Nothing of the home but the writable root, where that lies in it.
file.hide { '~', except = { '.' }, why = 'only the work tree is needed' }
