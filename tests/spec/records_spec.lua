--- The records that ship: authorities, secrets, protected files and the example site are pure data
-- in the form that the library reads, and no two of them claim the same thing.
package.path = 'tests/spec/support/?.lua;lua/?.lua;lua/?/init.lua;' .. package.path
local endpoints = require 'confine.endpoints'
local glob = require 'confine.values.glob'
local record = require 'confine.pipeline.record'
local shipped = require 'shipped'

local KINDS, POLICIES, RECORDS = shipped.KINDS, shipped.POLICIES, shipped.FILES

--- What is wrong with a path as a record writes it, or nil.
local function fault(path, relative)
  if path:find('**', 1, true) then return 'holds **' end
  if path:find('/$') then return 'ends in a slash' end
  if path:find('//', 1, true) then return 'is not in normal form' end
  if ('/' .. path .. '/'):find('/%.%.?/') then return 'is not in normal form' end
  if path:find('[%c\\]') then return 'holds a control character or a backslash' end
  local start = path:sub(1, 1)
  if start == '~' and path:sub(2, 2) ~= '/' then return 'names a home that is not its own' end
  if start == '$' and not path:find('^%$[%a_][%w_]*$')
    and not path:find('^%$[%a_][%w_]*/') then
    return 'begins with no variable'
  end
  if path:sub(2):find('[$~]') then return 'has a variable or a ~ inside' end
  if not relative and not start:find('[/~$]') then return 'begins with none of / ~ $' end
end

--- The paths of a record with the field they stand in. `sockets` of what is protected only says
-- more of some of its files.
local function paths_of(value)
  local list = {}
  for _, field in ipairs { 'sockets', 'secrets', 'files' } do
    local is_paths = field ~= 'sockets' or value.grants
    for _, path in ipairs(is_paths and value[field] or {}) do list[#list + 1] = { field, path } end
  end
  return list
end

--- Is the text one sentence that a message can end with? It starts small and has no full stop.
local function is_sentence(text)
  return type(text) == 'string' and #text >= 20 and #text <= 90 and not text:find('[\r\n]')
    and not text:find('%.$') and not text:find('[.!?] %u') and not text:find('^%s')
end

describe('shipped records', function()
  it('are there', function()
    for _, kind in ipairs(KINDS) do
      assert.is_true(#RECORDS[kind] > 5, POLICIES .. '/' .. kind .. ' holds no records')
    end
  end)

  for _, kind in ipairs(KINDS) do
    it(('of %s have the form that the library reads'):format(kind), function()
      local problems = {}
      for _, file in ipairs(RECORDS[kind]) do
        local source = { name = file.path, base = file.base, trust = 'builtin' }
        local _, problem = record.load(kind, source, file.value)
        if problem then problems[#problems + 1] = file.path .. ': ' .. problem.message end
      end
      assert.are.same({}, problems)
    end)

    it(('of %s begin with a sentence of what they are for'):format(kind), function()
      local silent = {}
      for _, file in ipairs(RECORDS[kind]) do
        local handle = assert(io.open(file.path))
        local line = handle:read('l')
        handle:close()
        if not line:find('^%-%- %w.* .') then
          silent[#silent + 1] = file.path
        end
      end
      assert.are.same({}, silent)
    end)

    it(('of %s write their paths plainly'):format(kind), function()
      local faults = {}
      for _, file in ipairs(RECORDS[kind]) do
        for _, item in ipairs(paths_of(file.value)) do
          local found = fault(item[2], kind == 'protected')
          if found then faults[#faults + 1] = ('%s: %s %s'):format(file.path, item[2], found) end
        end
      end
      assert.are.same({}, faults)
    end)
  end

  it('say in one sentence what they hand out, or why they hide', function()
    local wrong = {}
    for _, kind in ipairs(KINDS) do
      for _, file in ipairs(RECORDS[kind]) do
        local text = kind == 'authorities' and file.value.grants or file.value.why
        if not is_sentence(text) then wrong[#wrong + 1] = file.path .. ': ' .. tostring(text) end
      end
    end
    assert.are.same({}, wrong)
  end)

  it('claim no path twice', function()
    local owner, twice = {}, {}
    for _, kind in ipairs(KINDS) do
      for _, file in ipairs(RECORDS[kind]) do
        for _, item in ipairs(paths_of(file.value)) do
          local key = (kind == 'protected' and 'protect ' or item[1] == 'sockets' and 'socket '
            or 'hide ') .. item[2]
          if owner[key] then
            twice[#twice + 1] = ('%s: %s and %s'):format(key, owner[key], file.path)
          end
          owner[key] = owner[key] or file.path
        end
      end
    end
    assert.are.same({}, twice)
  end)
end)

describe('authority records', function()
  -- Nothing is shared today. A variable that leads to two powers would be named here, with both.
  local SHARED_VARIABLES = {}

  local authorities = RECORDS.authorities

  it('name each variable in one record', function()
    local owner, twice = {}, {}
    for _, file in ipairs(authorities) do
      for name in pairs(file.value.env or {}) do
        if owner[name] and not SHARED_VARIABLES[name] then
          twice[#twice + 1] = ('%s: %s and %s'):format(name, owner[name], file.base)
        end
        owner[name] = file.base
      end
    end
    table.sort(twice)
    assert.are.same({}, twice)
  end)

  it('name variables of the form that an environment has', function()
    local wrong = {}
    for _, file in ipairs(authorities) do
      for name in pairs(file.value.env or {}) do
        if not name:find('^[%a_][%w_]*$') then wrong[#wrong + 1] = file.base .. ': ' .. name end
      end
    end
    assert.are.same({}, wrong)
  end)

  it('give each variable a kind that has a reader', function()
    local wrong = {}
    for _, file in ipairs(authorities) do
      for name, kind in pairs(file.value.env or {}) do
        local _, problem = endpoints.find(kind)
        if problem then wrong[#wrong + 1] = ('%s: %s: %s'):format(file.base, name, problem) end
      end
    end
    assert.are.same({}, wrong)
  end)

  it('can be met: each has a socket, an abstract name, a TCP endpoint or a variable', function()
    -- what a site's own list fills (scripts/discover/plain.lua)
    local filled_later = { site_sockets = true }
    local empty = {}
    for _, file in ipairs(authorities) do
      local v = file.value
      if not (v.sockets or v.abstract or v.tcp or v.env or filled_later[file.base]) then
        empty[#empty + 1] = file.base
      end
    end
    assert.are.same({}, empty)
  end)

  it('write TCP endpoints as host and port, each once', function()
    local owner, wrong = {}, {}
    for _, file in ipairs(authorities) do
      for _, endpoint in ipairs(file.value.tcp or {}) do
        local port = endpoint:match('^[%w.-]+:(%d+)$') or endpoint:match('^%[[%x:]+%]:(%d+)$')
        local number = tonumber(port or 0)
        if number < 1 or number > 65535 or owner[endpoint] then
          wrong[#wrong + 1] = ('%s: %s (also in %s)'):format(file.base, endpoint,
            tostring(owner[endpoint]))
        end
        owner[endpoint] = file.base
      end
    end
    assert.are.same({}, wrong)
  end)

  it('name an owner by the base name of its program, each in one record', function()
    local owner, wrong = {}, {}
    for _, file in ipairs(authorities) do
      for _, name in ipairs(file.value.owners or {}) do
        if name:find('[/%c%s*]') or owner[name] then
          wrong[#wrong + 1] = ('%s: %s (also in %s)'):format(file.base, name, tostring(owner[name]))
        end
        owner[name] = file.base
      end
    end
    assert.are.same({}, wrong)
  end)

  it('set a variable of their own inside', function()
    local wrong = {}
    for _, file in ipairs(authorities) do
      local variable = file.value.variable
      if variable and not (file.value.env or {})[variable] then wrong[#wrong + 1] = file.base end
    end
    assert.are.same({}, wrong)
  end)

  it('write abstract names without the sign that stands for the NUL', function()
    local wrong = {}
    for _, file in ipairs(authorities) do
      for _, name in ipairs(file.value.abstract or {}) do
        if name:find('^@') or name:find('**', 1, true) then wrong[#wrong + 1] = name end
      end
    end
    assert.are.same({}, wrong)
  end)

  it('take no name of another by a star: a grant of one would not be enough', function()
    local taken = {}
    for _, one in ipairs(authorities) do
      for _, pattern in ipairs(one.value.sockets or {}) do
        for _, other in ipairs(glob.is_glob(pattern) and authorities or {}) do
          for _, name in ipairs(other ~= one and other.value.sockets or {}) do
            if glob.match(pattern, name) then
              taken[#taken + 1] = ('%s: %s takes %s of %s'):format(one.base, pattern, name,
                other.base)
            end
          end
        end
      end
    end
    assert.are.same({}, taken)
  end)

  it('leave lookups of names and users, logging and databases alone', function()
    local open = {
      '/run/nscd/socket', '/var/run/nscd/socket', '/var/lib/sss/pipes/nss',
      '/var/lib/sss/pipes/pam',
      '/run/systemd/resolve/io.systemd.Resolve', '/run/systemd/userdb/io.systemd.DynamicUser',
      '/run/systemd/userdb/io.systemd.Multiplexer', '/run/systemd/userdb/io.systemd.Home',
      '/run/systemd/journal/socket', '/run/systemd/journal/stdout', '/run/systemd/journal/dev-log',
      '/dev/log', '/run/avahi-daemon/socket', '/run/samba/winbindd/pipe', '/run/nslcd/socket',
      '/run/postgresql/.s.PGSQL.5432', '/var/run/postgresql/.s.PGSQL.5432', '/tmp/.s.PGSQL.5432',
      '/run/mysqld/mysqld.sock', '/var/lib/mysql/mysql.sock', '/tmp/mysql.sock',
      '/run/redis/redis-server.sock', '/run/memcached/memcached.sock', '/tmp/mongodb-27017.sock',
    }
    local refused = {}
    for _, file in ipairs(authorities) do
      for _, pattern in ipairs(file.value.sockets or {}) do
        for _, name in ipairs(open) do
          if glob.match(pattern, name) then
            refused[#refused + 1] = ('%s: %s takes %s'):format(file.base, pattern, name)
          end
        end
      end
    end
    assert.are.same({}, refused)
  end)

  it('hold the base list', function()
    local wanted = {
      docker = '/run/docker.sock', podman = '$XDG_RUNTIME_DIR/podman/podman.sock',
      containerd = '/run/containerd/containerd.sock', ssh_agent = '$XDG_RUNTIME_DIR/gcr/ssh',
      gpg_agent = '$XDG_RUNTIME_DIR/gnupg/S.gpg-agent',
      keyring = '$XDG_RUNTIME_DIR/keyring/control', session_bus = '$XDG_RUNTIME_DIR/bus',
      system_bus = '/run/dbus/system_bus_socket',
      systemd_private = '$XDG_RUNTIME_DIR/systemd/private', wayland = '$XDG_RUNTIME_DIR/wayland-*',
      x11 = '/tmp/.X11-unix/X*', pipewire = '$XDG_RUNTIME_DIR/pipewire-0',
      pulseaudio = '$XDG_RUNTIME_DIR/pulse/native', at_spi = '$XDG_RUNTIME_DIR/at-spi/bus*',
      tmux = '/tmp/tmux-*/*', screen = '/run/screen/S-*/*', emacs = '$XDG_RUNTIME_DIR/emacs/server',
      libvirt = '/run/libvirt/libvirt-sock', lxd = '/var/lib/lxd/unix.socket',
      snapd = '/run/snapd.socket', buildkit = '$XDG_RUNTIME_DIR/buildkit/*.sock',
      tailscale = '/run/tailscale/tailscaled.sock',
    }
    local missing = {}
    for _, file in ipairs(authorities) do
      for _, path in ipairs(file.value.sockets or {}) do
        if wanted[file.base] == path then wanted[file.base] = nil end
      end
    end
    for name, path in pairs(wanted) do missing[#missing + 1] = name .. ': ' .. path end
    table.sort(missing)
    assert.are.same({}, missing)
  end)
end)

--- Those of the names that no pattern of the records takes, itself or by a folder above.
local function left_open(names, patterns)
  local open = {}
  for _, name in ipairs(names) do
    local is_taken = false
    for _, pattern in ipairs(patterns) do
      local at = name
      while at and not is_taken do
        is_taken = glob.match(pattern, at)
        at = at:match('^(.+)/')
      end
    end
    if not is_taken then open[#open + 1] = name end
  end
  return open
end

--- The patterns of what is hidden, by secrets and authorities.
local function hidden_patterns()
  local list = {}
  for _, kind in ipairs { 'secrets', 'authorities' } do
    for _, file in ipairs(RECORDS[kind]) do
      for _, path in ipairs(file.value[kind == 'secrets' and 'files' or 'secrets'] or {}) do
        list[#list + 1] = path
      end
    end
  end
  return list
end

--- The patterns of what is protected.
local function protected_patterns()
  local list = {}
  for _, file in ipairs(RECORDS.protected) do
    table.move(file.value.files, 1, #file.value.files, #list + 1, list)
  end
  return list
end

describe('secrets and protected files', function()
  it('hide the logins of agents, clouds and development tools', function()
    assert.are.same({}, left_open({
      '~/.vibe/.env', '$XDG_CONFIG_HOME/crush/crush.json', '~/.qoder/auth', '~/.huggingface/token',
      '$XDG_CONFIG_HOME/mods/mods.yml', '$XDG_CONFIG_HOME/kaggle/kaggle.json',
      '~/.runpod/config.toml', '~/.cf/config.json', '~/.tccli/default.credential',
      '$XDG_CONFIG_HOME/coderv2/session',
      '$XDG_CONFIG_HOME/upctl.yaml', '~/.clasprc.json', '~/.infisical/keyring',
      '~/.semgrep/settings.yml', '$XDG_CONFIG_HOME/cachix/cachix.dhall', '~/.dbt/profiles.yml',
      '~/.influxdbv2/configs',
      '~/.rattler/credentials.json', '$XDG_DATA_HOME/composer/auth.json', '~/.rancher/cli2.json',
      '~/.aptos/config.yaml', '$XDG_DATA_HOME/syncthing/key.pem', '$XDG_CONFIG_HOME/hg/hgrc',
    }, hidden_patterns()))
  end)

  it('hide histories also where tools keep them below XDG folders', function()
    assert.are.same({}, left_open({
      '$XDG_STATE_HOME/python_history', '$XDG_STATE_HOME/psql_history',
      '$XDG_STATE_HOME/node_repl_history', '$XDG_DATA_HOME/nushell/history.txt',
      '$XDG_DATA_HOME/nushell/history.sqlite3', '$XDG_DATA_HOME/xonsh/xonsh-history.sqlite',
      '$XDG_DATA_HOME/recently-used.xbel', '~/.xsession-errors',
    }, hidden_patterns()))
  end)

  it('hide the copies of account files, and the keys of services', function()
    assert.are.same({}, left_open({
      '/etc/shadow+', '/etc/gshadow+', '/etc/shadow.edit', '/etc/shadow.dpkg-new', '/etc/nshadow',
      '/var/backups/shadow.bak', '/var/backups/gshadow.bak',
      '/var/cache/debconf/passwords.dat-old', '/etc/ssmtp/ssmtp.conf', '/etc/dma/auth.conf',
      '/etc/snmp/snmpd.conf', '/etc/rclone.conf', '/etc/dkimkeys/mail.private',
      '/etc/nebula/host.key', '/etc/tinc/home/rsa_key.priv', '/etc/nginx/ssl/site.key',
      '/etc/xrdp/key.pem', '/etc/grafana/grafana.ini', '/var/spool/cups/c00001',
    }, hidden_patterns()))
  end)

  it('hide what editors and tools leave beside a login', function()
    assert.are.same({}, left_open({
      '~/.netrc~', '~/.netrc.swp', '~/.netrc.bak', '~/.git-credentials.lock',
      '~/.git-credentials~', '~/.pgpass.tmp', '~/.my.cnf~', '~/.npmrc.bak', '~/.pypirc~',
      '~/.bash_history-01234.tmp', '~/.zsh_history.new', '~/.docker/config.json0123',
      '~/.terraform.d/credentials.tfrc.json.tmp',
    }, hidden_patterns()))
  end)

  it('protect what more tools execute in a tree, where it is there', function()
    assert.are.same({}, left_open({
      '.amp/settings.json', '.vibe/config.toml', '.trae/mcp.json', '.openhands/setup.sh',
      'conductor.json', 'lefthook.json', '.config/lefthook.yml', '.build.yml', '.builds/a.yml',
      '.tekton/run.yaml', '.semaphore/semaphore.yml', '.azure-pipelines/ci.yml',
      '.woodpecker.yaml', '.drone.yaml', '.drone.star', 'codemagic.yaml', 'bitrise.yml',
      '.direnv/flake-profile.rc', '.direnv/bin/nix-direnv-reload', '.Rprofile', '.irbrc',
      '.iex.exs', '.ghci', '.octaverc', '.pdbrc',
    }, protected_patterns()))
  end)

  it('protect programs and startup files of a writable home', function()
    assert.are.same({}, left_open({
      '$XDG_CONFIG_HOME/starship.toml', '~/.zinit/bin/zinit.zsh', '~/.zprezto/init.zsh',
      '$XDG_DATA_HOME/pipx/venvs', '$XDG_DATA_HOME/claude/versions', '~/.rustup/toolchains/stable',
      '~/.npm-global/bin/npm', '~/.opam/default', '~/.ghcup/bin/ghc', '~/.krew/bin/kubectl-krew',
      '~/.opencode/bin/opencode', '~/.cabal/bin/hlint', '~/.fluxbox/startup',
      '$XDG_CONFIG_HOME/rofi/config.rasi', '$XDG_CONFIG_HOME/polybar/config.ini',
      '~/.doom.d/init.el', '$XDG_CONFIG_HOME/doom/init.el', '~/.SpaceVim.d/init.toml',
      '~/.spacemacs', '$XDG_CONFIG_HOME/lvim/config.lua', '~/.tmux/plugins/tpm/tpm', '~/.mavenrc',
      '~/.sqliterc', '~/.devscripts', '~/.quiltrc', '~/.pbuilderrc', '~/.vagrant.d/Vagrantfile',
      '~/.lein/profiles.clj', '~/.clojure/deps.edn', '$XDG_CONFIG_HOME/nixpkgs/config.nix',
    }, protected_patterns()))
  end)

  it('protect the settings of other version control, and leave their data writable', function()
    assert.are.same({}, left_open({
      '.hg/hgrc', '.hg/requires', 'sub/.hg/hgrc', '.jj/repo/config.toml', '.sl/config',
      '_darcs/prefs/defaults', '~/.hgrc', '$XDG_CONFIG_HOME/hg/hgrc', '~/.jjconfig.toml',
    }, protected_patterns()))
    local data = { '.hg', '.hg/dirstate', '.hg/store/00changelog.i', '.hg/last-message.txt',
      '.jj/repo/store', '.jj/working_copy/checkout', '.sl/dirstate', '_darcs/hashed_inventory' }
    assert.are.same(data, left_open(data, protected_patterns()))
  end)

  it('leave readable what tools need and what holds no login', function()
    local open = {
      '~/.gitconfig', '~/.bashrc', '~/.profile', '~/.cargo', '~/.cargo/config.toml', '~/.rustup',
      '~/.nvm', '~/.local/bin', '~/.config/pip/pip.conf', '~/.condarc', '~/.vimrc', '/etc/passwd',
      '/etc/group', '/etc/ssl/certs', '/etc/ssh/ssh_config', '/etc/gitconfig',
      '~/.rustup/toolchains', '~/.opam', '~/.npm-global/bin', '~/.krew/bin', '~/.hasura/plugins',
      '~/.buildkite-agent/builds', '~/.cf/plugins', '~/.fastlane/bin',
    }
    local hidden = {}
    for _, file in ipairs(RECORDS.secrets) do
      for _, pattern in ipairs(file.value.holds and {} or file.value.files) do
        for _, name in ipairs(open) do
          local below = name:sub(1, #pattern + 1) == pattern .. '/'
          if below or glob.match(pattern, name) then hidden[#hidden + 1] = pattern end
        end
      end
    end
    assert.are.same({}, hidden)
  end)

  it('leave writable what a build is made of and what git itself writes', function()
    local open = {
      'package.json', 'Makefile', 'CMakeLists.txt', 'build.rs', 'conftest.py', 'pyproject.toml',
      '.npmrc', '.cargo/config.toml', '.env', '.editorconfig', '.gitignore', '.gitattributes',
      '.gitmodules', 'CLAUDE.md', 'AGENTS.md', '.venv', '.tox', '.cache', '.pixi', '.direnv',
      '.git/HEAD', '.git/index', '.git/objects', '.git/refs', '.git/logs', '.git/info/exclude',
      '.git/modules', '.git/worktrees', '.git/packed-refs', '.git/COMMIT_EDITMSG',
    }
    local protected = {}
    for _, file in ipairs(RECORDS.protected) do
      for _, pattern in ipairs(file.value.files) do
        -- What a record is about only while it is absent, or a file, is not in the way of these.
        local only = file.value.only and file.value.only[pattern:gsub('[%[%]]', ''):match('[^/]*$')]
        for _, name in ipairs(only and {} or open) do
          local below = name:sub(1, #pattern + 1) == pattern .. '/'
          if below or glob.match(pattern, name) then protected[#protected + 1] = pattern end
        end
      end
    end
    assert.are.same({}, protected)
  end)
end)

describe('the example site', function()
  --- Runs a site file with words that only write down what they are told.
  local function statements_of(path)
    local said = {}
    local function noun(name)
      return setmetatable({}, { __index = function(_, verb)
        return function(...) said[#said + 1] = { name .. '.' .. verb, ... } end
      end })
    end
    local chunk = assert(loadfile(path, 't', { env = noun('env'), file = noun('file') }))
    chunk()
    return said
  end

  local said = statements_of(POLICIES .. '/sites/milpa.lua')

  it('lets MILPA_TRIAL pass and nothing else', function()
    local granting = {}
    for _, statement in ipairs(said) do
      if statement[1] ~= 'file.hide' then granting[#granting + 1] = statement end
    end
    assert.are.same({ { 'env.allow', 'MILPA_TRIAL' } }, granting)
  end)

  it('hides ledger, token hashes, declaration and session logs, each with its reason', function()
    local hidden, wrong = {}, {}
    for _, statement in ipairs(said) do
      if statement[1] == 'file.hide' then
        local things = statement[2]
        if not is_sentence(things.why) then wrong[#wrong + 1] = tostring(things.why) end
        for _, path in ipairs(things) do
          hidden[#hidden + 1] = path
          wrong[#wrong + 1] = fault(path)
        end
      end
    end
    assert.are.same({}, wrong)
    assert.are.same({
      '/var/lib/milpa/enrollment.jsonl',
      '/var/lib/milpa/token-hashes.db', '/var/lib/milpa/token-hashes.db-*',
      '/etc/milpa/capabilities.json',
      '/var/log/milpa/sessions', '$XDG_STATE_HOME/milpa/sessions',
    }, hidden)
  end)
end)
