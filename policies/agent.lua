-- agent: default, with the host's network, for a coding agent that calls its model and registries.
--
-- The agent's own key is not passed: name its variable with `env.allow 'NAME'` in the site's layer,
-- or with --env NAME; what reads the variable inside can send it anywhere.

include 'default'

-- Lets through: every TCP and UDP endpoint that the host reaches, what listens on localhost too.
-- The host's abstract sockets stay closed, by a Landlock scope; a kernel before 6.12 has none, and
-- there a run needs `accept 'abstract_sockets'` from a trusted layer.
net 'host'

-- Lets through: what tools need to talk to a person. None of these holds a secret.
env.allow { 'TERM', 'COLORTERM', 'TZ', 'USER', 'LOGNAME', 'SHELL' }

-- No pagers: without a terminal to read keys from, one ends at the first screen and the rest is
-- lost. Beside `tty 'inherit'` a layer may set others: env.set('PAGER', 'less').
env.set { PAGER = 'cat', GIT_PAGER = 'cat' }
