-- The door to the configs that git reads for a work tree: whose words name what it executes.

local core = require 'confine.core'
local git_config = require 'confine.pipeline.git_config'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- Bounds: bytes of one file, files, and repository folders that lie elsewhere.
local MOST, FILES, FOLDERS = 1024 * 1024, 64, 16

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
function M.work_trees(root)
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

--- The repository folders in the root to which a .git that is a file leads (`gitdir: .bare`).
-- @param facts { root }
-- @param trees from M.work_trees
-- @return list of canonical paths
function M.folders(facts, trees)
  local out, seen = {}, {}
  local own = path.join(facts.root, '.git')
  for _, top in ipairs(trees) do
    local dir, is_file = git_dir(top)
    local look = dir and is_file and core.paths.look(common_dir(dir))
    local where = look and look.type == 'dir' and look.path
    if where and path.below(where, facts.root) and not path.within(where, own) and not seen[where]
      and #out < FOLDERS then
      seen[where] = true
      out[#out + 1] = where
    end
  end
  return out
end

--- The repositories of submodules in a git folder, with the folder of its work tree for each.
local function modules(dir)
  local out, base = {}, glob.literal(dir) .. '/modules'
  local found = core.paths.survey { base .. '/*/config', base .. '/*/*/config' } or {}
  for _, looks in ipairs(found) do
    for _, look in ipairs(looks) do
      local own = path.split(look.path)
      local text = look.type == 'file' and core.paths.read(look.path, MOST)
      local top = text and git_config.work_tree { text = text, dir = own }
      if top then out[#out + 1] = { dir = own, top = path.normal(top) } end
    end
  end
  return out
end

--- The configs of the repository that the root belongs to, of its user, and of the repositories
-- whose .git the policy protects, with all that they include.
-- @param facts { root, git_top, home, env }
-- @param trees from M.work_trees
-- @return list of { name = as a policy line, text, dir, top }
function M.configs(facts, trees)
  local out, seen, top = {}, {}, nil
  local function take(file)
    if not file or seen[file] or #out == FILES then return end
    seen[file] = true
    local text = core.paths.read(file, MOST, { follow = true })
    if not text then return end
    local config = { name = path.within(file, facts.root) and file:sub(#facts.root + 2) or file,
      text = text, dir = path.split(file), top = top }
    out[#out + 1] = config
    for _, included in ipairs(git_config.includes(config, facts)) do take(included) end
  end
  local function take_dir(dir, work_tree)
    top = work_tree
    take(path.join(common_dir(dir), 'config'))
    take(path.join(dir, 'config.worktree'))
  end
  local dir = git_dir(facts.root)
  local own = (dir or not facts.git_top) and facts.root or facts.git_top
  dir = dir or git_dir(own)
  if dir then take_dir(dir, own) end
  top = own
  local config_home = facts.env.XDG_CONFIG_HOME or (facts.home and facts.home .. '/.config')
  for _, file in ipairs { facts.home and facts.home .. '/.gitconfig' or false,
    config_home and config_home .. '/git/config' or false, facts.env.GIT_CONFIG_GLOBAL or false,
    '/etc/gitconfig' } do
    if file and file:sub(1, 1) == '/' then take(path.tidy(file)) end
  end
  for _, work_tree in ipairs(trees) do
    dir = git_dir(work_tree)
    if dir then take_dir(dir, work_tree) end
    for _, module in ipairs(dir and modules(dir) or {}) do take_dir(module.dir, module.top) end
  end
  return out
end

return M
