-- A made-up host for specs of the pure library: a tree of names, an environment, sockets.

local assemble = require 'confine.pipeline.assemble'
local endpoints = require 'confine.endpoints'
local glob = require 'confine.values.glob'
local layer = require 'confine.pipeline.layer'
local path = require 'confine.values.path'

local M = {}

--- Canonical look of a path in the tree, with links followed, and named.
local function look(tree, where, depth, links)
  if depth > 20 then return { path = where, type = 'absent', loop = true } end
  -- Of a tidy path each part takes a slash and itself.
  local at, done = '', 0
  for part in where:gmatch('[^/]+') do
    done = done + 1 + #part
    local here = part == '..' and at:gsub('/[^/]*$', '') or at .. '/' .. part
    local node = tree[here]
    if type(node) == 'table' then
      local target = node.link:sub(1, 1) == '/' and node.link
        or path.join(at == '' and '/' or at, node.link)
      links = table.move(links or {}, 1, #(links or {}), 1, {})
      links[#links + 1] = here
      return look(tree, path.tidy(target .. where:sub(done + 1)), depth + 1, links)
    end
    at = here
  end
  where = at == '' and '/' or at
  local kind = where == '/' and 'dir' or tree[where]
  if not kind then
    local above = path.split(where)
    while above ~= '/' and not tree[above] do above = path.split(above) end
    local is_blocked = above ~= '/' and tree[above] ~= 'dir'
    return { path = where, type = 'absent', blocked = is_blocked or nil, links = links,
      exists_to = is_blocked and path.split(above) or above }
  end
  local sum = 0
  for i = 1, #where do sum = (sum * 31 + where:byte(i)) % 1000003 end
  local inode, names = tree['inode ' .. where], 0
  for name, other in pairs(inode and tree or {}) do
    if name:sub(1, 6) == 'inode ' and other == inode then names = names + 1 end
  end
  return { path = where, type = kind, dev = 1, ino = inode or sum, links = links,
    nlink = names > 1 and names or nil, mode = tree['mode ' .. where] or 420, uid = 1000 }
end

--- A door over a tree: the same functions as doors.facts.
local function door(tree)
  local D = {}
  local function matching(pattern)
    local out = {}
    for where in pairs(tree) do
      if where:sub(1, 1) == '/' and glob.match(pattern, where) then
        out[#out + 1] = look(tree, where, 0)
      end
    end
    return path.sort(out)
  end
  function D.look(facts, patterns)
    facts.looks = facts.looks or {}
    for _, pattern in ipairs(patterns) do
      facts.looks[pattern] = glob.is_glob(pattern) and matching(pattern)
        or { look(tree, glob.plain(pattern), 0) }
    end
    return facts
  end
  function D.bases(facts, folders)
    facts.bases = {}
    for _, pattern in ipairs(folders) do
      local folder, names = glob.plain(pattern), {}
      for where in pairs(tree) do
        local parent, name = path.split(where)
        if parent == folder then names[name] = true end
      end
      facts.bases[pattern] = { look = look(tree, folder, 0), names = names }
    end
    return facts
  end
  function D.list(facts, folders)
    facts.folders = {}
    for _, folder in ipairs(folders) do
      local list = {}
      for where, node in pairs(tree) do
        local parent, name = path.split(where)
        if parent == folder then
          list[#list + 1] = { name = name, type = type(node) == 'table' and 'link' or node,
            target = type(node) == 'table' and node.link or nil }
        end
      end
      table.sort(list, function(a, b) return a.name < b.name end)
      facts.folders[folder] = list
    end
    return facts
  end
  function D.holders(facts)
    facts.holders = facts.holders or {}
    return facts
  end
  local function each_within(folders, call)
    for where in pairs(tree) do
      for _, folder in ipairs(folders) do
        if where:byte(1) == 47 and path.within(where, folder) then call(look(tree, where, 0)) end
      end
    end
  end
  function D.links(wanted, folders)
    local out = {}
    each_within(folders, function(found)
      for i, item in ipairs(wanted) do
        if found.ino == item.ino then out[#out + 1] = { path = found.path, wish = i } end
      end
    end)
    return path.sort(out)
  end
  function D.folders_of() return {} end
  function D.text(where) return tree['text ' .. where] end
  function D.led_out(folders)
    local out = {}
    for at, folder in ipairs(folders) do
      for where, node in pairs(tree) do
        if type(node) == 'table' and path.below(where, folder) then
          out[#out + 1] = { look = look(tree, where, 0), at = at }
        end
      end
    end
    return out, {}
  end
  function D.several(folders)
    local out = {}
    for i, folder in ipairs(folders) do
      each_within({ folder }, function(found)
        if found.nlink then
          found.wish = i
          out[#out + 1] = found
        end
      end)
    end
    return path.sort(out)
  end
  function D.sockets_in(folders)
    local out = {}
    each_within(folders, function(found)
      if found.type == 'socket' then out[#out + 1] = found end
    end)
    return path.sort(out), {}
  end
  function D.control_group(facts) return facts end
  function D.git_granted(facts) return facts end
  function D.keep_sockets(facts, is_private)
    facts.kept_sockets = {}
    for _, socket in ipairs(facts.sockets) do
      if socket.path and is_private(socket.path) and tree[socket.path] == 'socket' then
        table.insert(facts.kept_sockets, look(tree, socket.path, 0))
      end
    end
    return facts
  end
  return D
end

--- Facts of the made-up host.
-- @param given { tree = map path -> 'dir'|'file'|'socket'|{ link = target }, env, root, sockets,
--   ... }
function M.facts(given)
  local tree = {
    ['/run'] = 'dir', ['/run/user'] = 'dir', ['/run/user/1000'] = 'dir', ['/home'] = 'dir',
    ['/home/ada'] = 'dir', ['/home/ada/work'] = 'dir', ['/tmp'] = 'dir', ['/var'] = 'dir',
    ['/var/run'] = { link = '/run' }, ['/proc'] = 'dir', ['/proc/sys'] = 'dir', ['/etc'] = 'dir',
  }
  for where, kind in pairs(given.tree or {}) do tree[where] = kind or nil end
  local facts = {
    version = 1, uid = 1000, gid = 1000, groups = {}, user = 'ada',
    env = given.env or { HOME = '/home/ada', PATH = '/bin' },
    home = '/home/ada', homes = { '/home/ada' }, home_folders = { '/home/ada' },
    runtime_dir = '/run/user/1000', runtime_dirs = { '/run/user/1000' },
    volatile = { '/run', '/run/user/1000' },
    is_volatile = { ['/run'] = true, ['/run/user/1000'] = true },
    cwd = '/home/ada/work', root = '/home/ada/work', kernel = { release = '6.18' },
    state = '/home/ada/.local/state/confine-lua',
    procfs = { mountable = true }, processes = {},
    proc_writable = { { path = '/proc/sys', type = 'dir' } }, sockets = {}, mounts = {},
    landlock_scopes = true, sysctl_writable = true,
    stage = true, bwrap = { path = '/usr/bin/bwrap',
      options = setmetatable({}, { __index = function() return true end }) },
  }
  for key, value in pairs(given) do
    if key ~= 'tree' then facts[key] = value end
  end
  facts.root_look = look(tree, facts.root, 0)
  return facts, door(tree)
end

--- A layer from statements written as { 'file.hide', '~/x' }.
-- @param of { trust = 'site', kind = 'layer', name = 'site.lua', ... list of statements }
function M.layer(of)
  local raw = {}
  for i, statement in ipairs(of) do
    raw[i] = { word = statement[1], args = { table.unpack(statement, 2) }, line = i }
  end
  local loaded, problems = layer.load({ name = of.name or 'site.lua', trust = of.trust or 'site',
    kind = of.kind }, raw)
  return loaded, problems
end

--- The default profile in short, as specs need it.
function M.default_profile()
  return M.layer { name = 'default', trust = 'builtin', kind = 'profile',
    { 'net', 'none' }, { 'proc', 'auto' }, { 'ipc', 'private' }, { 'tty', 'none' },
    { 'userns', 'refused' },
    { 'socket.default', 'reachable' }, { 'env.allow', { 'PATH', 'HOME' } }, { 'file.write', '.' },
    { 'file.private', { '/tmp', empty = true } } }
end

--- Merges, completes and resolves.
-- @param given { facts, door, layers, profiles, named, authorities, secrets, protected, catalog }
-- @return resolved policy, problems, facts, policy, warnings; or nil and why it does not resolve
function M.resolve(given)
  local facts, fake = given.facts, given.door
  local profiles = given.profiles or { default = M.default_profile() }
  local policy, problems, warnings = assemble.policy({
    layers = given.layers or {}, profiles = profiles, named = given.named or {},
    records = { authorities = given.authorities or {}, secrets = given.secrets or {},
      protected = given.protected or {} }, catalog = given.catalog,
  }, facts, endpoints.find)
  local resolved, wrong = assemble.complete(policy, facts, fake, given.catalog ~= nil)
  if not resolved then return nil, wrong end
  return resolved, problems, facts, policy, warnings
end

return M
