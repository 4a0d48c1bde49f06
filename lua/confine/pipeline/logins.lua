-- Settings that hold a login now and then (.bashrc, .gitconfig, pip.conf): hidden while they do, by
-- what stands in them when the run starts.

local catalog = require 'confine.pipeline.catalog'
local glob = require 'confine.values.glob'
local login = require 'confine.values.login'
local path = require 'confine.values.path'
local resolve = require 'confine.pipeline.resolve'
local text = require 'confine.values.text'
local verdict = require 'confine.pipeline.verdict'

local M = {}

--- The names that may hold one: what records list, and what the user's git configs include.
-- @param policy merged policy
-- @param facts host facts with bases
-- @return list of { pattern, from, why }
local function candidates(policy, facts)
  local out = {}
  local function add(patterns, refusal)
    for _, pattern in ipairs(patterns) do
      out[#out + 1] = { pattern = pattern, from = refusal.from, why = refusal.why }
    end
  end
  for _, item in ipairs(policy.catalog and catalog.settings(policy.catalog, facts) or {}) do
    add(item.patterns, item.refusal)
  end
  for _, refusal in ipairs(policy.settings) do
    add(path.expand(refusal.thing, facts, true), refusal)
  end
  for _, config in ipairs(facts.git_configs or {}) do
    if config.is_users then
      add({ glob.literal(config.path) }, { from = 'policies/secrets/settings.lua',
        why = 'git reads it for you, and a login stands in it' })
    end
  end
  return out
end

--- What the facts must look up.
-- @return list of absolute paths and globs, and the list of what they come from, for M.files
function M.patterns(policy, facts)
  local out, list = {}, candidates(policy, facts)
  for i, item in ipairs(list) do out[i] = item.pattern end
  return out, list
end

--- The files among them, each once, and what could not be looked up.
-- @param facts host facts with the looks of M.patterns
-- @param list the second of M.patterns
-- @return list of { path, look, from, why }, and list of paths
function M.files(facts, list)
  local out, unseen, seen = {}, {}, {}
  for _, item in ipairs(list) do
    for _, look in ipairs(facts.looks[item.pattern] or {}) do
      local where = look.path
      if not seen[where] then
        seen[where] = true
        if look.type == 'file' then
          out[#out + 1] = { path = where, look = look, from = item.from, why = item.why }
        elseif look.type == 'unknown' then
          unseen[#unseen + 1] = where
        end
      end
    end
  end
  return out, unseen
end

--- Bytes of all of them that are looked through.
local MOST = 4 * 1024 * 1024

--- What is found in one file: { line, what }, or nil.
-- @param content what it holds, or nil where it cannot be read
local function judge(resolved, item, content, is_large)
  if is_large then return { what = 'too large to be looked through' } end
  if content then return login.find(content) end
  -- What the command may change it can make readable.
  return verdict.is_written(resolved, item.path) and { what = 'it cannot be read' }
end

--- Hides those that hold a login and would show.
-- @param resolved to its `logins` come the files that hold one, as { path, where = the line }
-- @param files from M.files
-- @param read function(path) -> text or nil, is_large: doors.facts.text
function M.refuse(resolved, files, read)
  local is_hidden, left = {}, MOST
  for _, item in ipairs(files) do
    local folder = path.split(item.path)
    if is_hidden[folder] == nil then
      is_hidden[folder] = verdict.file(resolved, folder).verdict == 'hidden'
    end
    local content, is_large
    if not is_hidden[folder] then content, is_large = read(item.path) end
    left = left - (content and #content or 0)
    local found = not is_hidden[folder] and judge(resolved, item, content, is_large or left < 0)
    if found and verdict.file(resolved, item.path).verdict ~= 'hidden' then
      local where = found.line
        and ('line %d: %s'):format(found.line, text.cut(found.what, 60)) or found.what
      local entry = { noun = 'file', verb = 'hide', thing = glob.literal(item.path),
        from = item.from, final = false, except = {}, why = ('%s (%s)'):format(item.why, where) }
      resolve.add_name(resolved, entry, item.look)
      table.insert(resolved.logins, { path = item.path, where = where })
    end
  end
end

local READABLE = 'holds a login (line %d: %s), which the command can read; a credential helper '
  .. 'keeps it out of there'

--- A repository's own config cannot be hidden from git, so of one that holds a login it is said.
function M.tell(resolved)
  for _, config in ipairs(resolved.facts.git_configs or {}) do
    local found = not config.is_users and login.find(config.text)
    if found and verdict.file(resolved, config.path).verdict ~= 'hidden' then
      table.insert(resolved.unfound, { path = config.path,
        message = READABLE:format(found.line, text.cut(found.what, 60)) })
    end
  end
end

return M
