--- Looks at this machine: its records, its discovery sources and what they find.
local M = {}

--- The folder above this file's, with a slash at its end.
local ROOT = (debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. '../'

--- Largest record file that is read, in bytes.
local MAX_RECORD = 1024 * 1024

--- Names below the share folder or the checkout that begin with a prefix, which is a folder's.
local function own_names(core, prefix)
  local list = core and core.store.list(prefix) or {}
  if #list > 0 then return list end
  for _, name in ipairs(require('scripts.host').list(ROOT .. prefix) or {}) do
    list[#list + 1] = prefix .. name
  end
  return list
end

local function own_text(core, host, name)
  return core and core.store.read(name) or host.read(ROOT .. name, MAX_RECORD)
end

--- The built-in records and the drop-ins of the site and the caller, as scripts/records.lua takes
-- them. A drop-in that others can write is left out.
local function record_sources(core, host)
  local list, problems = {}, {}
  local config = host.env.XDG_CONFIG_HOME or host.home .. '/.config'
  for _, kind in ipairs { 'authorities', 'secrets' } do
    for _, name in ipairs(own_names(core, 'policies/' .. kind .. '/')) do
      local base = name:match('([%w_]+)%.lua$')
      local content = base and own_text(core, host, name)
      if content then
        list[#list + 1] = { name = name, base = base, kind = kind, text = content }
      end
    end
    for _, dir in ipairs { '/etc', config } do
      dir = ('%s/confine-lua/%s'):format(dir, kind)
      for _, name in ipairs(host.list(dir) or {}) do
        local file, base = dir .. '/' .. name, name:match('^([%w_]+)%.lua$')
        local content, reason
        if base then content, reason = host.read(file, MAX_RECORD) end
        local trusted, why = true, nil
        if content and core then trusted, why = core.paths.trust(file) end
        if content and trusted then
          list[#list + 1] = { name = file, base = base, kind = kind, text = content }
        elseif base then
          problems[#problems + 1] = ('%s: %s'):format(file, reason or why or 'is gone')
        end
      end
    end
  end
  return list, problems
end

--- The discovery sources, by name.
local function sources(core)
  local list = {}
  for _, name in ipairs(own_names(core, 'scripts/discover/')) do
    local base = name:match('([%w_]+)%.lua$')
    if base then
      list[#list + 1] = { name = base, discover = require('scripts.discover.' .. base).discover }
    end
  end
  return list
end

--- Looks at the machine.
-- @param core confine.core, or nil
-- @param host as scripts/host.lua makes it
-- @return what scripts/assemble.lua gives, with the problems of the records too; nil and the
--   reason where the records or the sources are missing
function M.look(core, host)
  local records = require 'scripts.records'
  local list, problems = record_sources(core, host)
  local more
  host.records, more = records.load(list, core)
  table.move(more, 1, #more, #problems + 1, problems)
  local all = sources(core)
  if #all == 0 or #host.records.authorities == 0 then
    return nil, 'the discovery sources and the records of authorities are not where they should be'
  end
  local result = require('scripts.assemble').run(host, all)
  table.move(result.problems, 1, #result.problems, #problems + 1, problems)
  result.problems = problems
  return result
end

return M
