--- Reads systemd's unit files and environment.d files (systemd.syntax(7), environment.d(5)).
local endpoint = require 'confine.values.endpoint'

local M = {}

--- Longest line that is read, in bytes, with all its continuations.
local MAX_LINE = 8192

--- The settings of a unit file or a drop-in.
-- @param text string
-- @return list of { section, key, value } in order, continued lines joined
function M.settings(text)
  local list, section, pending = {}, '', nil
  for line in (text .. '\n'):gmatch('([^\n]*)\n') do
    local first = line:match('^%s*(.?)')
    if not (first == '#' or first == ';') then
      if pending then line = pending .. ' ' .. line end
      pending = line:sub(-1) == '\\' and #line < MAX_LINE and line:sub(1, -2) or nil
      if not pending then
        section = line:match('^%s*%[([^%]]+)%]') or section
        local key, value = line:match('^%s*([%w-]+)%s*=%s*(.*)$')
        if key then list[#list + 1] = { section = section, key = key, value = value } end
      end
    end
  end
  return list
end

local ESCAPES = { n = '\n', t = '\t', s = ' ' }

--- Splits a value into words: quotes group, a backslash escapes.
-- @return list of strings
function M.words(value)
  local list, at = {}, 1
  while true do
    at = value:match('^%s*()', at)
    if at > #value then return list end
    local word, quote = {}, nil
    while at <= #value do
      local c = value:sub(at, at)
      if c == '\\' and at < #value then
        at = at + 1
        c = value:sub(at, at)
        word[#word + 1] = ESCAPES[c] or c
      elseif quote then
        if c == quote then quote = nil else word[#word + 1] = c end
      elseif c == '"' or c == "'" then
        quote = c
      elseif c:find('%s') then
        break
      else
        word[#word + 1] = c
      end
      at = at + 1
    end
    list[#list + 1] = table.concat(word)
  end
end

--- What a manager's specifiers stand for (systemd.unit(5), "Specifiers").
-- @param unit file name such as 'agent@.socket'
-- @param facts { home, runtime_dir, user, uid, config, state, cache }
function M.specifiers(unit, facts)
  local whole = unit:match('^(.*)%.[^.]*$') or unit
  local prefix, instance = whole:match('^(.-)@(.*)$')
  return { ['%'] = '%', h = facts.home, t = facts.runtime_dir, u = facts.user,
    U = tostring(facts.uid), E = facts.config, S = facts.state, C = facts.cache, T = '/tmp',
    V = '/var/tmp', n = unit, N = whole, p = prefix or whole,
    i = instance ~= '' and instance or nil }
end

--- Expands the specifiers of a value; one that is not known here becomes a star.
-- @return string, and the same as a glob when it holds such a star
function M.expand(value, specifiers)
  local is_glob = false
  local plain = value:gsub('%%(.)', function(c) return specifiers[c] end)
  local as_glob = endpoint.literal(value):gsub('%%(.)', function(c)
    if specifiers[c] then return endpoint.literal(specifiers[c]) end
    is_glob = true
    return '*'
  end)
  if is_glob then return nil, (as_glob:gsub('%*+', '*')) end
  return plain
end

--- The assignments of an environment.d file, variables in them expanded.
-- @param env table by name: what the variables stand for
-- @return list of { name, value }
function M.environment(text, env)
  local list, known = {}, setmetatable({}, { __index = env })
  for line in (text .. '\n'):gmatch('([^\n]*)\n') do
    local name, value = line:match('^%s*([%a_][%w_]*)=(.*)$')
    if name and #value < MAX_LINE then
      value = table.concat(M.words(value), ' ')
      value = value:gsub('%${([%w_]+):[-+]?([^}]*)}', function(other, default)
        return known[other] or default
      end)
      value = value:gsub('%${([%w_]+)}', function(other) return known[other] or '' end)
      value = value:gsub('%$([%a_][%w_]*)', function(other) return known[other] or '' end)
      known[name] = value
      list[#list + 1] = { name = name, value = value }
    end
  end
  return list
end

return M
