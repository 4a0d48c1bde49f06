-- Logins with which packages are published and private ones fetched. Plain settings of mirrors and
-- proxies (pip.conf, .condarc) stay readable.
return record {
  name  = 'packages',
  files = {
    -- JavaScript
    '~/.npmrc', '$NPM_CONFIG_USERCONFIG', '$npm_config_userconfig', '~/.yarnrc.yml',
    '~/.bunfig.toml',
    '$XDG_CONFIG_HOME/pnpm/auth.ini', '$XDG_CONFIG_HOME/pnpm/rc',
    -- Python
    '~/.pypirc', '$XDG_CONFIG_HOME/pypoetry/auth.toml', '$XDG_DATA_HOME/uv/credentials',
    '~/.continuum', '$PIP_CONFIG_FILE', '$POETRY_CONFIG_DIR/auth.toml', '$BUNDLE_USER_CONFIG',
    '~/.rattler/credentials.json',
    -- Rust, Go, Ruby, PHP, Perl
    '~/.cargo/credentials.toml', '~/.cargo/credentials', '$CARGO_HOME/credentials.toml',
    '$CARGO_HOME/credentials', '~/.gem/credentials', '$XDG_DATA_HOME/gem/credentials',
    '~/.bundle/config', '~/.composer/auth.json', '$XDG_CONFIG_HOME/composer/auth.json',
    '$COMPOSER_HOME/auth.json', '~/.pause',
    '$XDG_DATA_HOME/composer/auth.json',
    -- Java, Scala, .NET
    '~/.m2/settings.xml', '~/.m2/settings-security.xml', '~/.gradle/gradle.properties',
    '$GRADLE_USER_HOME/gradle.properties', '~/.sbt/.credentials', '~/.ivy2/.credentials',
    '$XDG_CONFIG_HOME/coursier/credentials.properties', '~/.nuget/NuGet/NuGet.Config',
    '$XDG_CONFIG_HOME/NuGet/NuGet.Config',
    -- Dart, Elixir, Erlang, Julia, Lua, C and C++
    '$XDG_CONFIG_HOME/dart/pub-credentials.json', '$XDG_CONFIG_HOME/dart/pub-tokens.json',
    '~/.hex/hex.config', '~/.julia/servers', '~/.luarocks/upload_config.lua',
    '~/.conan2/credentials.json',
    -- the system's own
    '/etc/apt/auth.conf', '/etc/apt/auth.conf.d', '/etc/zypp/credentials.d', '~/.oscrc',
    -- what tools and editors leave beside them
    '~/.npmrc?*', '~/.pypirc?*',
  },
  why   = 'publishes packages under your name and fetches private ones',
}
