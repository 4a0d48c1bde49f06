--- systemd's units and environment.d: variables that services get, sockets that units listen on.
local endpoints = require 'confine.endpoints'
local found = require 'scripts.found'
local records = require 'scripts.records'
local unit_file = require 'scripts.readers.unit'

--- Where the units of either manager lie below these folders (systemd.unit(5)).
local MACHINE = { '/etc/systemd/', '/run/systemd/', '/usr/local/lib/systemd/', '/usr/lib/systemd/' }

--- Socket options that make a socket to connect or send to.
local LISTEN = { ListenStream = true, ListenDatagram = true, ListenSequentialPacket = true }

local function managers(host)
  local config = host.env.XDG_CONFIG_HOME or host.home .. '/.config'
  local data = host.env.XDG_DATA_HOME or host.home .. '/.local/share'
  local user = { folders = { config .. '/systemd/user', data .. '/systemd/user',
    host.runtime_dir .. '/systemd/user' }, environment = { config .. '/environment.d' },
    facts = { home = host.home, runtime_dir = host.runtime_dir, user = host.user, uid = host.uid,
      config = config, state = host.home .. '/.local/state', cache = host.home .. '/.cache' } }
  local system = { folders = {}, environment = {}, facts = { home = '/root', runtime_dir = '/run',
    user = 'root', uid = 0, config = '/etc', state = '/var/lib', cache = '/var/cache' } }
  for _, dir in ipairs(MACHINE) do
    user.folders[#user.folders + 1] = dir .. 'user'
    system.folders[#system.folders + 1] = dir .. 'system'
  end
  for _, dir in ipairs { '/etc', '/run', '/usr/local/lib', '/usr/lib' } do
    user.environment[#user.environment + 1] = dir .. '/environment.d'
  end
  return { user, system }
end

--- All settings of each unit, of its file in every folder and of its drop-ins alike: which of them
-- wins at the next start is not asked.
-- @return map unit -> list of settings, and its names sorted
local function units(out, folders)
  local by_unit, names = {}, {}
  local function take(unit, file)
    if not by_unit[unit] then
      by_unit[unit] = {}
      names[#names + 1] = unit
    end
    local settings = unit_file.settings(out:read(file) or '')
    table.move(settings, 1, #settings, #by_unit[unit] + 1, by_unit[unit])
  end
  for _, dir in ipairs(folders) do
    for _, name in ipairs(out:list(dir)) do
      local unit = name:match('^(.*%.socket)$') or name:match('^(.*%.service)$')
      local extended = name:match('^(.*%.socket)%.d$') or name:match('^(.*%.service)%.d$')
      if unit and out.host.type(dir .. '/' .. name) == 'file' then
        take(unit, dir .. '/' .. name)
      elseif extended then
        local dropins = out:glob(('%s/%s/*.conf'):format(dir, name))
        for _, file in ipairs(dropins) do take(extended, file) end
      end
    end
  end
  table.sort(names)
  return by_unit, names
end

--- The programs that a unit starts, each as the words of its command line.
local function commands(settings)
  local list = {}
  for _, setting in ipairs(settings or {}) do
    if setting.key == 'ExecStart' then
      local words = unit_file.words(setting.value)
      if words[1] then
        words[1] = words[1]:gsub('^[-@:+!|]+', '')
        list[#list + 1] = words
      end
    end
  end
  return list
end

local function authority_of(settings, by_owner)
  for _, words in ipairs(commands(settings)) do
    local authority = by_owner[words[1]:match('[^/]*$')]
    if authority then return authority end
  end
end

local function endpoint(out, authority, kind, value, source, specifiers, facts)
  local plain, as_glob = unit_file.expand(value, specifiers)
  if plain then
    out:endpoint(authority, kind, plain, source, facts)
  elseif as_glob:sub(1, 1) == '/' then
    out:add { authority = authority, glob = as_glob, source = source }
  end
end

local function listening(out, unit, settings, by_unit, by_owner, facts)
  local service = unit:gsub('%.socket$', '.service')
  for _, setting in ipairs(settings) do
    if setting.section == 'Socket' and setting.key == 'Service' then service = setting.value end
  end
  local authority = authority_of(by_unit[service], by_owner)
  if not authority then return end
  local specifiers = unit_file.specifiers(unit, facts)
  for _, setting in ipairs(settings) do
    local value = setting.section == 'Socket' and LISTEN[setting.key] and setting.value
    if value and value:find('^%d+$') then
      out:add { authority = authority, tcp = 'localhost:' .. value, source = 'unit ' .. unit }
    elseif value and value ~= '' then
      endpoint(out, authority, value:find('^[/%%@]') and 'path' or 'url', value, 'unit ' .. unit,
        specifiers, facts)
    end
  end
end

--- Sockets that the command line of a service names.
local function named(out, unit, settings, by_owner, facts)
  local specifiers = unit_file.specifiers(unit, facts)
  for _, words in ipairs(commands(settings)) do
    local program = words[1]:match('[^/]*$')
    for i, word in ipairs(words) do words[i] = unit_file.expand(word, specifiers) or '' end
    if by_owner[program] then
      out:endpoints(by_owner[program], endpoints.of_command(program, words, facts), 'unit ' .. unit)
    end
  end
end

local function environment(out, unit, settings, variables, facts)
  local specifiers = unit_file.specifiers(unit, facts)
  for _, setting in ipairs(settings) do
    for _, word in ipairs(setting.key == 'Environment' and unit_file.words(setting.value) or {}) do
      local name, value = word:match('^([%a_][%w_]*)=(.*)$')
      for _, variable in ipairs(name and variables[name] or {}) do
        endpoint(out, variable.authority, variable.kind, value,
          ('variable %s in unit %s'):format(name, unit), specifiers, facts)
      end
    end
  end
end

local function discover(host)
  local out = found.new(host)
  local by_owner, variables = records.owners(host.records), {}
  for _, variable in ipairs(records.variables(host.records)) do
    variables[variable.name] = variables[variable.name] or {}
    table.insert(variables[variable.name], variable)
  end
  for _, manager in ipairs(managers(host)) do
    local facts = manager.facts
    local by_unit, names = units(out, manager.folders)
    for _, unit in ipairs(names) do
      local settings = by_unit[unit]
      if unit:find('%.socket$') then
        listening(out, unit, settings, by_unit, by_owner, facts)
      else
        named(out, unit, settings, by_owner, facts)
        environment(out, unit, settings, variables, facts)
      end
    end
    for _, dir in ipairs(manager.environment) do
      for _, file in ipairs((out:glob(dir .. '/*.conf'))) do
        for _, item in ipairs(unit_file.environment(out:read(file) or '', host.env)) do
          for _, variable in ipairs(variables[item.name] or {}) do
            out:endpoint(variable.authority, variable.kind, item.value,
              ('variable %s in %s'):format(item.name, file), facts)
          end
        end
      end
    end
  end
  return out:results()
end

return {
  doc = 'Variables that user and system units and environment.d set, the sockets of units whose '
    .. 'service is a known daemon, and those on such a daemon\'s command line.',
  discover = discover,
}
