-- The site layer of a house called milpa: an example to copy to /etc/confine-lua/site.lua.
--
-- A site layer adds to every run on this machine, whatever profile the run asks for. Its refusals
-- (`refuse`, `hide`, `protect`) are final: no user, no policy file and no flag lifts them. What it
-- grants holds for everybody. The file must belong to root, and nobody else may write it or a
-- folder above it. A refusal that users may lift goes into a record instead: a file in
-- /etc/confine-lua/authorities/ or secrets/, or `authority.add`.
--
-- After a change, from a folder outside /etc/confine-lua:
--   confine-lua check                                             are all layers sound?
--   confine-lua explain file:/var/lib/milpa/enrollment.jsonl      which line decides?
--   confine-lua diff default /etc/confine-lua/new.lua             what would a file change?
--
-- Other things that a site says, each in one line:
--   a socket that nobody may reach        socket.refuse '/run/milpa/control.sock'
--   an ssh agent at a place of its own    authority.add('ssh_agent', { sockets = { '/run/x' } })
--   an engine that commands may use       authority.grant 'docker'
--   a folder hidden but for a part        file.hide { '/srv/x', except = { '/srv/x/docs' } }
--   a file that stays as it is            file.protect '/srv/x/deploy.sh'
--   a variable that never passes          env.refuse 'MILPA_ADMIN_*'
--   an end to every command               limit { wall = '1h', pids = 2000 }

-- Lets through: whether this is one of the house's trials, which its programs ask. No secret. A
-- variable passes by its exact name only; `check` warns of a name that looks like a secret.
env.allow 'MILPA_TRIAL'

-- Who is enrolled, one line a person.
file.hide { '/var/lib/milpa/enrollment.jsonl', why = 'the enrollment ledger names people' }

-- Hashes of access tokens, and the files that the database keeps beside its own. A star stays
-- within one name.
file.hide {
  '/var/lib/milpa/token-hashes.db', '/var/lib/milpa/token-hashes.db-*',
  why = 'hashes of access tokens can be tried offline',
}

-- What each enrolled agent may do.
file.hide { '/etc/milpa/capabilities.json', why = 'the declaration tells what is guarded, and how' }

-- What agents said and read before, in the machine's service and for each user. Folders are hidden
-- with all below them, also what comes later. $XDG_STATE_HOME is ~/.local/state where it is unset.
file.hide {
  '/var/log/milpa/sessions', '$XDG_STATE_HOME/milpa/sessions',
  why = 'session logs quote what other sessions have seen',
}
