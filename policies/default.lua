-- default: a command nobody vouches for works in one folder, and reaches none of the host's powers.
-- The authorities, secrets and protected files of the folders here are refused in every profile.

net 'none'                    -- no network, so no abstract sockets either
proc 'auto'                   -- a procfs of its own, else the host's processes covered
ipc 'private'
tty 'none'                    -- a session without a terminal
userns 'refused'
socket.default 'reachable'    -- sockets that hold no authority stay reachable: a test's database

env.allow { 'PATH', 'HOME', 'LANG', 'LC_ALL' }
env.set('TMPDIR', '/tmp')

file.write '.'                -- the writable root: the current directory, or --root

-- Empty places of its own; live off-list sockets in /tmp are put back.
file.private { '/tmp', '/var/tmp', empty = true }

-- Tools write caches into the home; here they land in a layer that is thrown away.
file.private { '~/.cache', '~/.npm', '~/.cargo/registry', '~/.cargo/git', '~/go/pkg' }
