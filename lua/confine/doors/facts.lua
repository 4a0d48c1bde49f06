-- The door to the host: everything a plan may depend on, read once, as values.

local aliases = require 'confine.pipeline.aliases'
local core = require 'confine.core'
local frozen = require 'confine.values.frozen'
local git = require 'confine.doors.git'
local glob = require 'confine.values.glob'
local own_folders = require 'confine.doors.own_folders'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local searches = require 'confine.doors.searches'

local M = {}

local EOVERFLOW = 75

local function add_once(list, value)
  if not value or value == '' then return end
  for _, known in ipairs(list) do
    if known == value then return end
  end
  list[#list + 1] = value
end

local function environment()
  local env = {}
  for _, item in ipairs(core.host.environ()) do
    -- Of two of one name programs take the first (getenv(3)).
    local name = item[1] or item.name
    if env[name] == nil then env[name] = item[2] or item.value end
  end
  return env
end

--- The existing folders among some names, canonical, each once.
local function canonical_folders(names)
  local out = {}
  for _, name in ipairs(names) do
    if name:sub(1, 1) == '/' and #name < 4096 then
      local look = core.paths.look(name)
      if look and look.type == 'dir' and look.path ~= '/' then add_once(out, look.path) end
    end
  end
  return out
end

--- A folder that a variable or the password file names, in normal form; nil where it is no absolute
-- path. Behind a link `..` means what the host says.
local function named_folder(name)
  if not name or name:sub(1, 1) ~= '/' then return nil end
  local look = path.climb(name) and #name < 4096 and core.paths.look(name)
  return look and look.path or path.normal(name)
end

local function numeric_names(dir)
  local out = {}
  for _, item in ipairs(core.paths.list(dir) or {}) do
    if item.name:find('^%d+$') then out[#out + 1] = item.name end
  end
  return out
end

--- Processes and threads that /proc shows: a thread is in no listing of it, but has a folder.
local function processes()
  local out = {}
  for _, number in ipairs(numeric_names '/proc') do
    out[#out + 1] = number
    for _, thread in ipairs(numeric_names('/proc/' .. number .. '/task')) do
      if thread ~= number then out[#out + 1] = thread end
    end
  end
  return out
end

local function wrong(message, hint, kind)
  return nil, { problem.new { kind = kind or 'host', message = message, hint = hint } }
end

--- Can a command write a folder? Root has no capability inside, so there the mode counts, as it
-- does for others (access control lists apart).
local function can_write(look, facts)
  if core.paths.is_writable(look.path) == false then return false end
  if facts.uid ~= 0 then return true end
  if look.uid == 0 then return look.mode & 128 ~= 0 end
  for _, group in ipairs { facts.gid, table.unpack(facts.groups) } do
    if group == look.gid then return look.mode & 16 ~= 0 end
  end
  return look.mode & 2 ~= 0
end

--- What lies beside the program and is executed or loaded by it: its helpers, as it is built and as
-- it is installed.
local BESIDE = { 'confine-probe', '../lib/confine-lua', '../share/confine-lua' }

--- This program and what belongs to it, as far as it is there.
-- @return list of canonical paths
local function programs()
  local own = core.paths.look '/proc/self/exe'
  if not own or own.type ~= 'file' then return {} end
  local out, folder = { own.path }, path.split(own.path)
  for _, name in ipairs(BESIDE) do
    local look = core.paths.look(path.join(folder, name))
    if look and (look.type == 'file' or look.type == 'dir') then out[#out + 1] = look.path end
  end
  return out
end

--- The caller and the writable root; what policies are read with.
-- @param options { root = DIR or nil, at = DIR to stand in, nil for the current directory }
-- @return facts { version, uid, gid, groups, user, env, cwd, root, root_look, root_is_ours = can
--   be written by what runs with our ids and no capability, home, homes, home_folders,
--   runtime_dir, runtime_dirs, volatile, git_top, git_folder, git_configs, git_folders, git_tops,
--   git_outside, git_own, kernel, cache }, or nil and a list of problems
function M.caller(options)
  local ids = core.host.ids()
  local facts = { version = 1, uid = ids.euid, gid = ids.egid, groups = ids.groups,
    env = environment(), kernel = core.host.kernel() }
  local passwd = core.host.passwd(facts.uid)
  facts.user = passwd and passwd.name or facts.env.USER or tostring(facts.uid)

  facts.homes = {}
  add_once(facts.homes, named_folder(facts.env.HOME))
  add_once(facts.homes, named_folder(passwd and passwd.dir))
  facts.home = facts.homes[1]
  facts.home_folders = canonical_folders(facts.homes)

  facts.runtime_dirs = {}
  add_once(facts.runtime_dirs, named_folder(facts.env.XDG_RUNTIME_DIR))
  add_once(facts.runtime_dirs, '/run/user/' .. facts.uid)
  facts.runtime_dir = facts.runtime_dirs[1]
  own_folders.add(facts, canonical_folders { passwd and passwd.dir })
  facts.programs = programs()
  local volatile = { '/run', '/var/run' }
  for _, dir in ipairs(facts.runtime_dirs) do volatile[#volatile + 1] = dir end
  facts.volatile, facts.is_volatile = canonical_folders(volatile), {}
  for _, dir in ipairs(facts.volatile) do facts.is_volatile[dir] = true end

  local cwd, reason = options.at, nil
  if not cwd then cwd, reason = core.host.cwd() end
  if not cwd then
    return wrong('the current directory cannot be read: ' .. tostring(reason),
      'it was deleted, perhaps; change into a folder that exists')
  end
  local here = core.paths.look(cwd)
  if not here or here.type ~= 'dir' then
    return wrong('the current directory cannot be found again as ' .. cwd,
      'change into a folder that exists')
  end
  facts.cwd = here.path
  local root = options.root
  if root then
    if root:sub(1, 1) ~= '/' then root = path.join(facts.cwd, root) end
    local look, complaint = core.paths.look(root)
    if not look then return wrong('--root ' .. options.root .. ': ' .. complaint) end
    if look.type ~= 'dir' then
      return wrong(('--root %s: %s'):format(options.root, look.unknown
        or (look.type == 'absent' and 'no such folder' or 'not a folder')))
    end
    facts.root, facts.root_look = look.path, look
    if not path.within(facts.cwd, facts.root) then
      return wrong(('--root %s does not contain the current directory %s')
        :format(facts.root, facts.cwd),
        'change into it, or name a folder above the current one')
    end
  else
    facts.root, facts.root_look = here.path, here
  end
  facts.root_is_ours = can_write(facts.root_look, facts)
  facts.git_top, facts.git_folder = git.top_above(facts.root), git.folder_above(facts.root)
  local repositories, unread = git.read(facts)
  if not repositories then return nil, unread end
  facts.git_configs, facts.git_folders = repositories.configs, repositories.folders
  facts.git_tops, facts.git_outside = repositories.tops, repositories.outside
  facts.git_own = repositories.own
  if facts.home and path.within(facts.home, '/proc') then
    return wrong(('the home %s lies in /proc'):format(facts.home), 'set HOME to a folder of yours')
  end
  for what, where in pairs { ['the writable root'] = facts.root, ['the home'] = facts.home or '',
    ['the runtime folder'] = facts.runtime_dir } do
    if where:find '[*?[]' then
      return wrong(('%s %s holds a character of patterns (* ? [)'):format(what, where),
        'names below it could not be told from patterns; use a folder without them, or a root '
          .. 'above')
    end
  end
  return facts
end

--- Is /proc the one of our own processes? Much of what is asked of the kernel is asked there, and
-- bwrap looks there for the process that it starts.
-- @return true, or nil and a list of problems
function M.proc()
  local remedy = 'mount one: in an outer bwrap --proc /proc, in a chroot mount -t proc proc /proc'
  local status, reason = core.procfs.status('self')
  if not status then
    return wrong('there is no /proc here: ' .. tostring(reason), remedy, 'no_proc')
  end
  -- One number for each process namespace, from that of this /proc down to ours.
  if type(status.NSpid) == 'table' and #status.NSpid > 1 then
    return wrong('/proc is that of another process namespace than ours', remedy, 'foreign_proc')
  end
  return true
end

--- The first bwrap in PATH that belongs to root, like each folder above it: one that a command of
-- an earlier run may have put into a tree is not even asked for its version.
-- @return its path, or nil and { path, reason } of the first that was passed over
local function find_bwrap(search)
  local refused
  for dir in (search .. ':'):gmatch '([^:]*):' do
    local found = dir:sub(1, 1) == '/' and core.host.find('bwrap', dir)
    if found then
      local trusted, reason, number = core.paths.trust(found)
      local look = core.paths.look(found)
      local at = look and look.path
      while trusted and at do
        local part = core.paths.look(at)
        if not part or part.uid ~= 0 then
          trusted, reason = nil, at .. ' does not belong to root'
        end
        at = path.split(at)
      end
      -- In a user namespace that does not map root the owner cannot be told; that we may not write
      -- it has to do.
      if trusted or (number == EOVERFLOW and core.paths.is_writable(found) == false) then
        return found
      end
      refused = refused or { path = found, reason = tostring(reason) }
    end
  end
  return nil, refused
end

--- Adds bwrap: the one in PATH, if it is to be trusted, with what it can do.
-- @return the facts, or nil and a list of problems
function M.bwrap(facts)
  local search = facts.env.PATH or '/usr/local/bin:/usr/bin:/bin'
  local bwrap, refused = find_bwrap(search)
  if not bwrap and refused then
    return wrong(('%s is not to be trusted: %s'):format(refused.path, refused.reason),
      'use the bwrap of your distribution, which belongs to root', 'untrusted_bwrap')
  elseif not bwrap then
    return wrong('bwrap is not in PATH (' .. search .. ')',
      'install bubblewrap 0.8 or later (Debian, Ubuntu: apt-get install bubblewrap; '
        .. '`confine-lua doctor` knows the package of others)', 'no_bwrap')
  end
  local about, complaint = core.host.bwrap(bwrap, facts.cache)
  if not about then
    return wrong(complaint, 'run `' .. bwrap .. ' --help` to see what is wrong with it',
      'broken_bwrap')
  end
  local look = core.paths.look(bwrap)
  about.path = look and look.path or bwrap
  facts.bwrap = about
  return facts
end

--- Numbers of errors (errno) that tell of a passing want, and nothing of what this host can:
-- EINTR, EIO, EAGAIN, ENOMEM, ENFILE, EMFILE, ENOSPC, ETIMEDOUT.
local PASSING = { [4] = true, [5] = true, [11] = true, [12] = true, [23] = true, [24] = true,
  [28] = true, [110] = true }

--- What could only be done in a weaker way, because it could not be tried, is not done.
local function untried(what, reason)
  return wrong(('%s cannot be tried: %s'):format(what, tostring(reason)),
    'this may pass: end what uses up memory, processes or descriptors, and run again')
end

--- Adds procfs: whether bwrap can make a sandbox here, and mount a /proc of its own in it.
-- @param facts with bwrap
-- @param cache folder of what is remembered, nil to ask anew
-- @return the facts, or nil and a list of problems
function M.procfs(facts, cache)
  local probe = core.procfs.probe { bwrap = facts.bwrap.path, cache = cache }
  facts.procfs = probe
  if PASSING[probe.errno] then return untried('whether a /proc can be mounted', probe.reason) end
  if probe.userns == false then
    return wrong('user namespaces cannot be made here: ' .. tostring(probe.reason),
      'bubblewrap needs them; `confine-lua doctor` names the setting', 'no_userns')
  end
  if probe.sandbox == false then
    return wrong('bwrap cannot make a sandbox here: ' .. tostring(probe.reason),
      '`confine-lua doctor` names what forbids it', 'no_sandbox')
  end
  return facts
end

--- A home that is mounted a second time is one by that name, too.
local function add_homes(facts)
  local others = aliases.finder(facts.mounts)
  for i = 1, #facts.home_folders do
    for _, alias in ipairs(others(facts.home_folders[i])) do
      -- As what is expanded it would be a pattern (pipeline.aliases).
      if not glob.is_glob(alias) then
        add_once(facts.homes, alias)
        add_once(facts.home_folders, alias)
      end
    end
  end
end

--- What /proc/net/tcp may hold, in bytes: some hundred thousand connections.
local MOST_CONNECTIONS = 64 << 20

--- Adds the TCP ports that something listens on here: facts.ports[port] = true (proc(5)).
function M.ports(facts)
  facts.ports = {}
  for _, file in ipairs { '/proc/net/tcp', '/proc/net/tcp6' } do
    local text = core.paths.read(file, MOST_CONNECTIONS, { follow = true }) or ''
    for port in text:gmatch ' %x+:(%x+) %x+:%x+ 0A ' do facts.ports[tonumber(port, 16)] = true end
  end
  return facts
end

--- Adds what only a launch or a plan needs: bwrap, procfs, kernel guards, sockets.
-- @param facts from M.caller
-- @return the facts, or nil and a list of problems
function M.host(facts)
  for _, step in ipairs { M.proc, M.bwrap, M.procfs } do
    local ok, problems = step(facts, facts.cache)
    if not ok then return nil, problems end
  end
  facts.landlock_scopes = (facts.kernel.landlock or 0) >= 6
  local staged, why, number = core.stage.available(facts.cache)
  if PASSING[number] then return untried('whether the view can be made', why) end
  facts.stage = staged or { unknown = why }
  facts.stdout_is_terminal = core.host.isatty(0) or core.host.isatty(1) or core.host.isatty(2)
  facts.terminal = core.host.terminal(1)
  facts.mounts = core.mounts.list() or {}
  add_homes(facts)
  -- The stage looks for itself, at a better time.
  facts.processes = (facts.procfs.mountable == true or staged) and {} or processes()
  local exposed, why_not = core.guard.proc()
  if not exposed then return wrong('/proc cannot be walked: ' .. why_not) end
  facts.proc_writable = { { path = '/proc/sys', type = 'dir' } }
  for _, entry in ipairs(exposed) do
    if entry.path ~= '/proc/sys' then facts.proc_writable[#facts.proc_writable + 1] = entry end
  end
  return M.sockets(facts)
end

--- Adds whether all processes of a run can be limited together, which is only tried when a policy
-- limits them: a control group is made and removed.
function M.control_group(facts)
  facts.cgroup = core.guard.available('cgroup').available
  return facts
end

--- Adds the sockets that can be connected or sent to. A name that was bound through a descriptor
-- means a folder of the process that bound it, and to us perhaps another: it is like a relative
-- one.
function M.sockets(facts)
  local sockets, source = core.sockets.list { listening = true }
  if not sockets then
    return wrong('the sockets of this host cannot be listed: ' .. tostring(source))
  end
  for _, socket in ipairs(sockets) do
    local name = socket.path
    if name and (name:find '^/+proc/' or name:find '^/+dev/fd/') then
      socket.path = name:gsub('^/+', '')
    end
  end
  facts.sockets, facts.sockets_source = sockets, source
  return facts
end

--- Adds the processes of some names with the sockets that each holds.
-- @param names list of executables' base names
function M.holders(facts, names)
  local holders, complaint = core.sockets.holders(names)
  if not holders then
    return wrong('the daemons of this host cannot be looked for: ' .. complaint)
  end
  facts.holders = holders
  return facts
end

--- Is the root no repository? Asked once: another run may put an empty .git there, or take it away,
-- between two looks, and what is planned must be the same.
local function has_no_git(facts)
  if facts.no_git == nil then facts.no_git = git.is_absent(path.join(facts.root, '.git')) end
  return facts.no_git
end

--- Takes an empty .git of the root for an absent one in what was found.
local function without_git(facts, patterns, results)
  local where = path.join(facts.root, '.git')
  for i, list in ipairs(results) do
    local left = {}
    for _, look in ipairs(list) do
      if not path.within(look.path, where) then
        left[#left + 1] = look
      elseif not glob.is_glob(patterns[i]) then
        left[#left + 1] = { path = look.path, links = look.links, type = 'absent',
          exists_to = facts.root }
      end
    end
    results[i] = left
  end
end

--- The problem of a pattern by which more was found or looked at than may be.
local function too_much(line, complaint)
  if not line then return wrong('names of the policy cannot be looked up: ' .. complaint) end
  return nil, { problem.new { kind = 'too_much', word = line.noun .. '.' .. line.verb,
    from = line.from, message = ("%s.%s '%s': with the lines before it %s"):format(line.noun,
      line.verb, line.thing, complaint),
    hint = 'name the folder itself, which covers all that is in it, or write fewer stars' } }
end

--- Adds the looks of patterns.
-- @param patterns list of absolute paths or globs
-- @param search { lines = map of each to the entry of the policy that names it, most = how many
--   names they may be held against, or nil }, optional
function M.look(facts, patterns, search)
  local looks = facts.looks or {}
  local results, complaint, _, at = core.paths.survey(patterns, search and search.most)
  if not results then return too_much(search and search.lines[patterns[at]], complaint) end
  if has_no_git(facts) then without_git(facts, patterns, results) end
  for i, pattern in ipairs(patterns) do looks[pattern] = results[i] end
  facts.looks = looks
  return facts
end

--- The entries of a folder, read once in a run; nil when it cannot be listed.
local function entries(facts, folder)
  facts.entries = facts.entries or {}
  if facts.entries[folder] == nil then facts.entries[folder] = core.paths.list(folder) or false end
  return facts.entries[folder] or nil
end

--- Adds base folders and the names in them: facts.bases[folder] = { look, names }.
-- @param folders list of absolute paths
function M.bases(facts, folders)
  facts.bases = {}
  local looks = core.paths.survey(folders) or {}
  for i, folder in ipairs(folders) do
    local look = (looks[i] or {})[1] or { path = folder, type = 'unknown' }
    local names
    if look.type == 'absent' then names = {} end
    if look.type == 'dir' then names = core.paths.names(look.path) end
    if names and look.path == facts.root and has_no_git(facts) then names['.git'] = nil end
    facts.bases[folder] = { look = look, names = names }
  end
  return facts
end

--- Adds the entries of folders that the view shadows, of those that can be listed.
function M.list(facts, folders)
  facts.folders = {}
  for _, folder in ipairs(folders) do
    facts.folders[folder] = entries(facts, folder)
  end
  return facts
end

--- Adds the live sockets that lie in private and empty places, canonical, at most `most` of them.
-- @param is_private function(path) -> boolean
function M.keep_sockets(facts, is_private, most)
  local names, by_folder = {}, {}
  for _, socket in ipairs(facts.sockets) do
    local folder = socket.path and socket.path:match('^(/.*/)[^/]*$')
    if folder then
      if by_folder[folder] == nil then by_folder[folder] = is_private(named_folder(folder)) end
      if by_folder[folder] then names[#names + 1] = socket.path end
    end
  end
  table.sort(names)
  local kept, seen = {}, {}
  for i = 1, math.min(#names, most) do
    local look = core.paths.look(names[i])
    if look and look.type == 'socket' and not seen[look.path] and is_private(look.path) then
      seen[look.path] = true
      kept[#kept + 1] = look
    end
  end
  facts.kept_sockets = kept
  return facts
end

M.links, M.several, M.sockets_in = searches.links, searches.several, searches.sockets_in
M.led_out, M.text, M.folders_of = searches.led_out, searches.text, searches.folders_of
M.git_granted = git.granted

--- Facts as a frozen value.
function M.freeze(facts)
  return frozen.freeze(facts)
end

return M
