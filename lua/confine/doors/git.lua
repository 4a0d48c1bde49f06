-- The door to the configs that git reads for a work tree: whose words name what it executes.

local core = require 'confine.core'
local git_config = require 'confine.pipeline.git_config'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'

local M = {}

--- Bounds: bytes of one file and of all, configs, repository folders that lie elsewhere; folders of
-- submodules that are listed, and how deep.
local MOST, ALL, FILES, FOLDERS, LISTINGS, DEPTH = 1024 * 1024, 2 * 1024 * 1024, 1024, 256, 256, 6

--- Bytes of a config that says that its folder is a repository, which git writes on top.
local SMALL = 64 * 1024

--- The error of a file that is larger.
local EFBIG = 27

--- Reads configs within the bounds. A command leaves files of any size in its tree; one of which
-- not all is known may name what git outside executes, so a bound that is met is a problem.
-- @return { problem = of the first that is too large, or nil, read = function(file, follow), note =
--   function(file, of what there is too much), many = function(where) says that there are too many
--   repositories }
local function reader()
  local out, bytes = {}, ALL
  -- Of more than are looked at a command could choose which are left, by making others.
  function out.many(where)
    out.problem = out.problem or problem.new { kind = 'many_repositories',
      message = ('more git repositories are in and around %s than can be protected'):format(where),
      hint = 'start in a folder below it, or remove those that nobody needs' }
  end
  function out.note(file, message)
    out.problem = out.problem or problem.new { kind = 'large_config',
      message = ('the git config %s is too large to be looked through: %s'):format(file, message),
      hint = 'git outside reads it too: see who wrote it, then shorten it or remove it' }
  end
  function out.read(file, follow)
    if out.problem then return nil end
    local text, _, number = core.paths.read(file, MOST, { follow = follow })
    bytes = bytes - (text and #text or 0)
    if number == EFBIG then
      out.note(file, ('it has more than %d bytes'):format(MOST))
    elseif bytes < 0 then
      out.note(file, ('with the configs before it, it has more than %d bytes'):format(ALL))
    end
    return not out.problem and text or nil
  end
  return out
end

local ENOENT = 2

local function first_line(file)
  local text = core.paths.read(file, 4096)
  return text and text:match '^[^\r\n]*'
end

local function from(folder, name)
  return path.tidy(name:sub(1, 1) == '/' and name or path.join(folder, name))
end

--- The folder of a repository that a .git leads to: itself, or what the file says.
-- @return absolute path, nil where there is none; and was it a file?
local function git_dir(top)
  local at = path.join(top, '.git')
  local look = core.paths.look(at)
  if look and look.type == 'dir' then return look.path end
  local leads = look and look.type == 'file' and (first_line(at) or ''):match '^gitdir:%s*(.+)$'
  return leads and from(top, leads), true
end

--- The folder that holds config and hooks: another one for a linked work tree.
local function common_dir(dir)
  local common = first_line(path.join(dir, 'commondir'))
  return common and from(dir, common) or dir
end

--- The work trees whose .git the policy protects, those of the root and down to its second folder:
-- what git.lua lists with stars.
-- @return list of absolute paths, the root first
local function work_trees(root)
  local out, base = { root }, glob.literal(root)
  local found = core.paths.survey { base .. '/*/.git', base .. '/*/*/.git' } or {}
  for _, looks in ipairs(found) do
    for _, look in ipairs(looks) do
      local link = look.links and look.links[1]
      if look.type ~= 'absent' then out[#out + 1] = path.split(link or look.path) end
    end
  end
  return out
end

--- The repositories of submodules in a git folder, and of those in them: a name may hold slashes.
-- @param configs from reader
-- @return list of { dir, is_deep = beyond what git.lua lists with stars, top = its work tree, or
--   nil }
local function modules(dir, configs)
  local out, listed = {}, 0
  local function walk(folder, depth)
    listed = listed + 1
    for _, item in ipairs(listed <= LISTINGS and core.paths.list(folder) or {}) do
      local at = path.join(folder, item.name)
      local is_repository = item.type == 'dir' and core.paths.look(path.join(at, 'HEAD'))
      if is_repository and is_repository.type ~= 'absent' then
        local text = configs.read(path.join(at, 'config'), false)
        local top = text and git_config.work_tree { text = text, dir = at }
        out[#out + 1] = { dir = at, is_deep = depth > 2, top = top and path.normal(top) }
        -- git.lua lists one that nests in one of a plain name: both counts are the same.
        walk(path.join(at, 'modules'), depth + 1)
      elseif item.type == 'dir' and depth < DEPTH then
        walk(at, depth + 1)
      end
    end
  end
  walk(path.join(dir, 'modules'), 1)
  return out
end

--- Is a folder a repository's own, such as a bare one? Its config says so too: a command that has
-- moved HEAD away could not write that.
local function is_repository(dir)
  local is_whole = true
  for name, kind in pairs { HEAD = 'file', objects = 'dir', refs = 'dir' } do
    local look = core.paths.look(path.join(dir, name))
    is_whole = is_whole and look and look.type == kind
  end
  if is_whole then return true end
  local text = core.paths.read(path.join(dir, 'config'), SMALL)
  return text ~= nil and text:lower():find('repositoryformatversion', 1, true) ~= nil
end

--- Repositories of their own name down to the second folder of a folder, such as bare ones.
-- @return list of canonical paths, each once
local function repositories_in(folder)
  local out, seen, patterns = {}, {}, {}
  for _, name in ipairs { '/*/HEAD', '/*/*/HEAD', '/*/config', '/*/*/config' } do
    patterns[#patterns + 1] = glob.literal(folder) .. name
  end
  for _, looks in ipairs(core.paths.survey(patterns) or {}) do
    for _, look in ipairs(looks) do
      local dir = path.split(look.path)
      if look.type == 'file' and dir and not seen[dir] then
        seen[dir] = true
        if dir:match '[^/]*$' ~= '.git' and is_repository(dir) then out[#out + 1] = dir end
      end
    end
  end
  return out
end

--- Bare repositories down to the second folder of the root, and those of it that the configs name
-- as remotes: who pushes there has their hooks executed.
local function bare(root, configs, facts)
  local out = repositories_in(root)
  for _, config in ipairs(configs) do
    for _, remote in ipairs(git_config.remotes(config, facts)) do
      local at = path.normal(remote)
      for _, dir in ipairs { at, at .. '/.git', at .. '.git' } do
        if path.below(dir, root) and is_repository(dir) then out[#out + 1] = dir end
      end
    end
  end
  return out
end

--- The repositories that belong to the root: its own, or those above it where it has none.
-- @param facts { root, git_top }
-- @return { tree, dir = its git folder }, or nil
local function own_repository(facts)
  local dir = git_dir(facts.root)
  if dir then return { tree = facts.root, dir = dir } end
  dir = facts.git_top and git_dir(facts.git_top)
  return dir and { tree = facts.git_top, dir = dir }
end

--- The place beyond the root that its .git names. A command of an earlier run may have written that
-- one: it may name anything.
-- @param dir as own_repository has it
-- @return { path, is_repository = does one seem to be there? }, or nil where it is in the root
local function place_outside(root, dir)
  local look = core.paths.look(common_dir(dir))
  if not look or path.within(look.path, root) then return nil end
  local head = core.paths.look(path.join(look.path, 'HEAD'), { follow = false })
  local objects = core.paths.look(path.join(look.path, 'objects'))
  -- Where HEAD is unborn, a link stands for it in old repositories.
  return { path = look.path, is_repository = look.type == 'dir' and head ~= nil
    and (head.type == 'file' or head.type == 'link') and objects ~= nil and objects.type == 'dir' }
end

--- Takes configs with all that they include, each once.
-- @param configs from reader
-- @return { list = of { name = as a policy line, path, text, entries, named, dir, top, is_users =
--   not a repository's }, take = function(file, top), repository = function(item), copy =
--   function(config, top) }
local function taker(facts, configs)
  local out, seen, list, copies = {}, {}, {}, 0
  local left = { bytes = git_config.MOST.bytes, names = git_config.MOST.names }
  out.list = list
  function out.take(file, top)
    if not file or seen[file] then return end
    seen[file] = true
    if #list - copies >= FILES then return configs.many(facts.root) end
    local text = configs.read(file, true)
    if not text then return end
    local config = { name = path.within(file, facts.root) and file:sub(#facts.root + 2) or file,
      path = file, text = text, entries = git_config.entries(text), dir = path.split(file),
      top = top }
    -- What no command wrote has no bound.
    local is_written = path.within(file, facts.root)
    for _, folder in ipairs(facts.git_written or {}) do
      is_written = is_written or path.within(file, folder)
    end
    local named, too_much = git_config.named(config, facts, is_written and left or nil)
    if not named then return configs.note(file, too_much) end
    config.named = named
    list[#list + 1] = config
    for _, included in ipairs(git_config.includes(config, facts)) do out.take(included, top) end
  end
  function out.repository(item)
    out.take(path.join(common_dir(item.dir), 'config'), item.tree)
    out.take(path.join(item.dir, 'config.worktree'), item.tree)
  end
  --- What the user's own name relative to a work tree they name in each.
  function out.copy(config, top)
    if #config.entries == 0 then return end
    copies = copies + 1
    list[#list + 1] = { name = config.name, path = config.path, text = config.text,
      entries = config.entries, dir = config.dir, top = top, is_users = true }
  end
  return out
end

--- The configs of the repository that the root belongs to, of its user, and of the repositories
-- whose .git the policy protects, with all that they include.
-- @param facts { root, home, env }
-- @param own { tree, dir } or nil
-- @param repositories list of the same
-- @param configs from reader
-- @return list as of taker
local function configs_of(facts, own, repositories, configs)
  local taken = taker(facts, configs)
  local out = taken.list
  if own then taken.repository(own) end
  local top = own and own.tree or facts.git_top or facts.root
  local before = #out
  local config_home = facts.env.XDG_CONFIG_HOME or (facts.home and facts.home .. '/.config')
  for _, file in ipairs { facts.home and facts.home .. '/.gitconfig' or false,
    config_home and config_home .. '/git/config' or false, facts.env.GIT_CONFIG_GLOBAL or false,
    '/etc/gitconfig' } do
    if file and file:sub(1, 1) == '/' then taken.take(path.tidy(file), top) end
  end
  local users = table.move(out, before + 1, #out, 1, {})
  for _, config in ipairs(users) do config.is_users = true end
  for _, item in ipairs(repositories) do
    taken.repository(item)
    for _, config in ipairs(item.tree ~= facts.root and users or {}) do
      taken.copy(config, item.tree)
    end
  end
  return out
end

--- The folder above the root that is git's own, such as the .git of a repository; nil when there is
-- none.
function M.folder_above(root)
  local at = path.split(root)
  local function has(name, type)
    local look = core.paths.look(path.join(at, name))
    return look and (look.type == type or (not type and look.type ~= 'absent'))
  end
  while at do
    if has 'HEAD' and has('objects', 'dir') and has('refs', 'dir') then return at end
    at = path.split(at)
  end
end

--- Is there no repository at a .git, which may be an empty folder? Another run puts that in the
-- place of an absent one.
function M.is_absent(where)
  local look = core.paths.look(where)
  if not look or look.type == 'absent' then return true end
  if look.path ~= where or look.type ~= 'dir' then return false end
  local names, _, number = core.paths.names(where)
  return names and next(names) == nil or number == ENOENT
end

--- The folder above the root that holds a .git, nil when there is none.
function M.top_above(root)
  local at = path.split(root)
  while at do
    if not M.is_absent(path.join(at, '.git')) then return at end
    at = path.split(at)
  end
end

--- What git reads of the root, as far as it decides what git executes.
-- @param facts { root, git_top, home, env }
-- @return { configs = of configs_of, folders = git folders in the root beyond its .git and what the
--   stars of git.lua list: those that .git files lead to (`gitdir: .bare`), bare ones, submodules
--   of deep names; tops = work trees of submodules; outside = { path, is_repository } of the root's
--   own repository where its .git names one that lies elsewhere, as a linked work tree's does, or
--   nil; own = the two of it wherever they lie, the work tree's own and the one with config and
--   hooks }; or nil and a list of problems
function M.read(facts)
  local trees, reading = work_trees(facts.root), reader()
  local folders, tops, seen = {}, {}, {}
  local own = path.join(facts.root, '.git')
  local function add(dir, is_of_own)
    local look = core.paths.look(dir)
    local where = look and look.type == 'dir' and look.path
    if where and path.below(where, facts.root) and (is_of_own or not path.within(where, own))
      and not seen[where] then
      if #folders == FOLDERS then return reading.many(facts.root) end
      seen[where] = true
      folders[#folders + 1] = where
    end
  end
  local repositories = {}
  for _, tree in ipairs(trees) do
    local dir, is_file = git_dir(tree)
    if dir then
      if is_file then add(common_dir(dir)) end
      repositories[#repositories + 1] = { tree = tree, dir = dir }
      for _, module in ipairs(modules(dir, reading)) do
        if module.is_deep then add(module.dir, true) end
        if module.top then
          tops[#tops + 1] = module.top
          repositories[#repositories + 1] = { tree = module.top, dir = module.dir }
        end
      end
    end
  end
  local own_one = own_repository(facts)
  local configs = configs_of(facts, own_one, repositories, reading)
  local outside = own_one and own_one.tree == facts.root
    and place_outside(facts.root, own_one.dir) or nil
  for _, dir in ipairs(bare(facts.root, configs, facts)) do add(dir) end
  if reading.problem then return nil, { reading.problem } end
  return { configs = configs, folders = folders, tops = tops, outside = outside,
    own = own_one and { own_one.dir, common_dir(own_one.dir) } or {} }
end

--- The work tree of a repository: the folder around a .git, what its config says, or none of its
-- own.
local function tree_of(dir, configs)
  local folder, name = path.split(dir)
  if name == '.git' then return folder end
  local text = configs.read(path.join(dir, 'config'), true)
  return text and git_config.work_tree { text = text, dir = dir } or dir
end

--- Adds what git reads of folders beyond the root that are granted to be written: the repositories
-- that they are, hold or lie in, and the root's own, with their configs.
-- @param facts from M.read's caller; to its git_folders and git_configs come these
-- @param folders list of canonical paths
-- @return the facts, or nil and a list of problems
function M.granted(facts, folders)
  local configs = reader()
  facts.git_written = folders
  local taken, known, found = taker(facts, configs), {}, {}
  for _, dir in ipairs(facts.git_folders) do known[dir] = true end
  local function add(dir, tree)
    local look = dir and core.paths.look(dir)
    local where = look and look.type == 'dir' and look.path
    -- Of the root M.read has them.
    if not where or known[where] or path.within(where, facts.root) then return end
    if #found == FOLDERS then return configs.many(where) end
    known[where] = true
    found[#found + 1] = { dir = where, tree = tree or tree_of(where, configs) }
    for _, module in ipairs(modules(where, configs)) do
      if module.is_deep or module.top then add(module.dir, module.top) end
    end
  end
  for _, dir in ipairs(facts.git_own) do
    if is_repository(dir) then add(dir) end
  end
  for _, folder in ipairs(folders) do
    local at = folder
    while at do
      if is_repository(at) then add(at) end
      at = path.split(at)
    end
    for _, tree in ipairs(work_trees(folder)) do
      local dir, is_file = git_dir(tree)
      if dir then add(is_file and common_dir(dir) or dir, tree) end
    end
    for _, dir in ipairs(repositories_in(folder)) do add(dir) end
  end
  local users, seen = {}, {}
  for _, config in ipairs(facts.git_configs) do
    if config.is_users and not seen[config.path] then
      seen[config.path] = true
      users[#users + 1] = config
    end
  end
  local own = {}
  for i, dir in ipairs(facts.git_folders) do own[i] = dir end
  for _, item in ipairs(found) do
    own[#own + 1] = item.dir
    taken.repository(item)
    for _, config in ipairs(users) do taken.copy(config, item.tree) end
  end
  if configs.problem then return nil, { configs.problem } end
  facts.git_folders = own
  facts.git_configs = table.move(facts.git_configs, 1, #facts.git_configs, 1, {})
  table.move(taken.list, 1, #taken.list, #facts.git_configs + 1, facts.git_configs)
  return facts
end

return M
