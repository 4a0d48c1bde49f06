-- Where the program keeps what is its own: what is remembered until the next boot, what outlives a
-- run, and what runs record of what they put into a tree.

local core = require 'confine.core'

local M = {}

--- The folder for what is remembered between runs; its maker checks owner and mode.
local function cache(uid, runtime_dirs)
  for _, dir in ipairs(runtime_dirs) do
    local look = core.paths.look(dir)
    if look and look.type == 'dir' and look.uid == uid then return look.path .. '/confine-lua' end
  end
  return uid == 0 and '/run/confine-lua' or '/tmp/confine-lua-' .. uid
end

--- The folder for what outlives a run: on a disk, so that a run after a crash of the machine can
-- sweep; among what is remembered between runs where none can be written.
-- @param homes list of folders; the first that can be written holds it, unless XDG_STATE_HOME does
local function state(facts, homes)
  local named, candidates = facts.env.XDG_STATE_HOME, {}
  for i, home in ipairs(homes) do candidates[i] = home .. '/.local/state' end
  if named and named:sub(1, 1) == '/' then candidates = { named } end
  for _, folder in ipairs(candidates) do
    local look = core.paths.look(folder .. '/confine-lua')
    local known = look and core.paths.look(look.exists_to or look.path)
    if known and known.uid == facts.uid and core.paths.is_writable(known.path) == true then
      return look.path
    end
  end
  return facts.cache
end

--- Adds `cache`, `state` and `records` to the facts of a caller.
-- @param facts with uid, env, home_folders, runtime_dirs
-- @param homes list of the home that the password file names, or empty: it holds the records of
--   all runs of an account, whatever HOME each of them has, since those in one tree share them
function M.add(facts, homes)
  facts.cache = cache(facts.uid, facts.runtime_dirs)
  facts.state = state(facts, { facts.home_folders[1] })
  local all = table.move(facts.home_folders, 1, #facts.home_folders, #homes + 1, homes)
  facts.records = state(facts, all) .. '/placeholders'
end

return M
