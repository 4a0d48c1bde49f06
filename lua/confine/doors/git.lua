-- The door to the configs that git reads for a work tree: whose words name what it executes.

local core = require 'confine.core'
local git_config = require 'confine.pipeline.git_config'
local path = require 'confine.values.path'

local M = {}

--- Bounds: bytes of one file, and files.
local MOST, FILES = 1024 * 1024, 32

local function first_line(file)
  local text = core.paths.read(file, 4096)
  return text and text:match '^[^\r\n]*'
end

local function from(folder, name)
  return path.tidy(name:sub(1, 1) == '/' and name or path.join(folder, name))
end

--- The folder of a repository that a .git leads to: itself, or what the file says.
local function git_dir(top)
  local at = path.join(top, '.git')
  local look = core.paths.look(at)
  if look and look.type == 'dir' then return look.path end
  local leads = look and look.type == 'file' and (first_line(at) or ''):match '^gitdir:%s*(.+)$'
  return leads and from(top, leads)
end

--- The folder with the config and hooks of a repository, which linked work trees share.
local function common_dir(dir)
  local common = first_line(path.join(dir, 'commondir'))
  return common and from(dir, common) or dir
end

--- The repository folder below the root that its .git file leads to (`gitdir: .bare`); nil where
-- that is a .git, or none.
-- @param facts { root }
-- @return canonical path
function M.folder_below(facts)
  local dir = git_dir(facts.root)
  local look = dir and core.paths.look(common_dir(dir))
  local where = look and look.type == 'dir' and look.path
  if where and path.below(where, facts.root) and where ~= path.join(facts.root, '.git') then
    return where
  end
end

--- The configs of the repository that the root belongs to, and of its user, with all that they
-- include.
-- @param facts { root, git_top, home, env }
-- @return list of { name = as a policy line, text, dir, top }
function M.configs(facts)
  local out, seen = {}, {}
  local top = facts.root
  local dir = git_dir(top)
  if not dir and facts.git_top then
    top, dir = facts.git_top, git_dir(facts.git_top)
  end
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
  if dir then
    take(path.join(common_dir(dir), 'config'))
    take(path.join(dir, 'config.worktree'))
  end
  local config_home = facts.env.XDG_CONFIG_HOME or (facts.home and facts.home .. '/.config')
  for _, file in ipairs { facts.home and facts.home .. '/.gitconfig' or false,
    config_home and config_home .. '/git/config' or false, facts.env.GIT_CONFIG_GLOBAL or false,
    '/etc/gitconfig' } do
    if file and file:sub(1, 1) == '/' then take(path.tidy(file)) end
  end
  return out
end

return M
