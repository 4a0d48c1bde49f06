-- The site layer of a house called milpa: an example to copy to /etc/confine-lua/site.lua.
--
-- A site layer adds to every run on this machine, whatever profile the run asks for. Its refusals
-- are final: no user and no command-line flag lifts them. Each line says what it lets through, or
-- why it hides something; messages show the `why`. After a change, `confine-lua check FILE` judges
-- the file, and `confine-lua explain file:/var/lib/milpa/enrollment.jsonl` names the line that
-- decides.
--
-- Other things that a site says, each in one line:
--   a socket that nobody may reach        socket.refuse '/run/milpa/control.sock'
--   an ssh agent at a place of its own    authority.add('ssh_agent', { sockets = { '/run/x' } })
--   an engine that commands may use       authority.grant 'docker'
--   a folder hidden but for a part        file.hide { '/srv/x', except = { '/srv/x/docs' } }

-- Lets through: whether this is one of the house's trials, which its programs ask. No secret.
env.allow 'MILPA_TRIAL'

-- Who is enrolled, one line a person.
file.hide { '/var/lib/milpa/enrollment.jsonl', why = 'the enrollment ledger names people' }

-- Hashes of access tokens, and the files that the database keeps beside its own.
file.hide {
  '/var/lib/milpa/token-hashes.db', '/var/lib/milpa/token-hashes.db-*',
  why = 'hashes of access tokens can be tried offline',
}

-- What each enrolled agent may do.
file.hide { '/etc/milpa/capabilities.json', why = 'the declaration tells what is guarded, and how' }

-- What agents said and read before, in the machine's service and for each user.
file.hide {
  '/var/log/milpa/sessions', '$XDG_STATE_HOME/milpa/sessions',
  why = 'session logs quote what other sessions have seen',
}
