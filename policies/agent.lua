-- agent: default, with the host's network, for a coding agent that calls its model and registries.

include 'default'

net 'host'                    -- lets through: every TCP and UDP endpoint of the host, loopback too

-- lets through: what tools need to talk to a person
env.allow { 'TERM', 'COLORTERM', 'TZ', 'USER', 'LOGNAME', 'SHELL' }
