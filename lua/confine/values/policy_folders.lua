-- Where the policies lie that always apply: the site's, and the caller's own.

local path = require 'confine.values.path'

local M = {}

--- Where a site's administrator writes.
M.SITE = '/etc/confine-lua'

--- The folder of the user's own policies.
-- @param facts { env, home } of the caller
-- @return path, or nil where no home is known
function M.of_user(facts)
  local config = facts.env.XDG_CONFIG_HOME
  if not config or config:sub(1, 1) ~= '/' then config = facts.home and facts.home .. '/.config' end
  return config and path.tidy(config .. '/confine-lua')
end

--- The file into which the caller can write a line of theirs: only root writes the site's.
-- @param facts { uid, env, home } of the caller
-- @return path
function M.own_file(facts)
  local user = facts.uid ~= 0 and M.of_user(facts)
  return user and user ~= M.SITE and user .. '/user.lua' or M.SITE .. '/site.lua'
end

return M
