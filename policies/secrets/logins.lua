-- Passwords that network clients keep in plain files, and stored connections of database and
-- remote desktop programs.
return record {
  name  = 'logins',
  files = {
    '~/.netrc', '$NETRC', '~/.authinfo', '~/.authinfo.gpg', '~/.pgpass', '$PGPASSFILE',
    '$PGSERVICEFILE', '~/.pg_service.conf', '~/.my.cnf', '~/.mylogin.cnf', '~/.mongorc.js',
    '$XDG_DATA_HOME/DBeaverData', '~/.pgadmin', '$XDG_CONFIG_HOME/beekeeper-studio',
    '~/.clickhouse-client', '$XDG_CONFIG_HOME/Insomnia', '$XDG_CONFIG_HOME/Postman', '~/.httpie',
    '$XDG_CONFIG_HOME/httpie', '$XDG_DATA_HOME/remmina', '$XDG_CONFIG_HOME/remmina',
    '$XDG_CONFIG_HOME/rustdesk', '$XDG_CONFIG_HOME/goa-1.0', '~/.netrc.gpg',
    '~/.dbt/profiles.yml', '~/.dbt/dbt_cloud.yml', '~/.cassandra/credentials',
    '~/.cassandra/cqlshrc', '~/.influxdbv2/configs', '~/.odbc.ini',
    -- what tools and editors leave beside them
    '~/.netrc?*', '~/.authinfo?*', '~/.pgpass?*', '~/.my.cnf?*',
  },
  why   = 'logs in to servers and databases as you',
}
