--- The environments of the caller's other processes: the endpoints that they use.
local found = require 'scripts.found'
local records = require 'scripts.records'

--- Variables that say how the others of the same process are read.
local CONTEXT = { HOME = true, USER = true, XDG_RUNTIME_DIR = true, SCREENDIR = true,
  PIPEWIRE_RUNTIME_DIR = true, LISTEN_FDS = true }

--- The variables of a process that matter, by name.
local function environment(text, by_name)
  local env, some = {}, false
  for entry in text:gmatch('[^%z]+') do
    local name = entry:match('^[^=]+')
    if (by_name[name] or CONTEXT[name]) and not env[name] and #name < #entry then
      env[name] = entry:sub(#name + 2)
      some = some or by_name[name] ~= nil
    end
  end
  return some and env or nil
end

--- A process in a container sees other files under the same names: what it names counts where it
-- is here too.
local function is_here(host, endpoints)
  for _, finding in ipairs(endpoints) do
    if finding.path and not host.type(finding.path) then return false end
  end
  return true
end

--- Reads one process's variables.
local function read_process(out, process, env, variables, seen)
  local host, facts = out.host, out:facts(env)
  for _, variable in ipairs(variables) do
    local value = env[variable.name]
    local key = value and table.concat({ variable.authority, variable.name, value,
      facts.home, facts.runtime_dir, tostring(process.other_view) }, '\0')
    if key and not seen[key] then
      seen[key] = true
      local mine = found.new(host)
      mine:endpoint(variable.authority, variable.kind, value, 'variable ' .. variable.name, facts,
        { detail = ('process %d (%s)'):format(process.pid, process.comm) })
      for _, problem in ipairs(mine.problems) do
        out:problem(('process %d (%s), %s'):format(process.pid, process.comm, problem))
      end
      if not process.other_view or is_here(host, mine.findings) then
        for _, finding in ipairs(mine.findings) do out:add(finding) end
      end
    end
  end
end

local function discover(host)
  local out, seen, by_name = found.new(host), {}, {}
  local variables, keys = records.variables(host.records), records.keys(host.records)
  for _, list in ipairs { variables, keys } do
    for _, item in ipairs(list) do by_name[item.name] = true end
  end
  for process in host.processes() do
    local text = process.env()
    local env = text and environment(text, by_name)
    if env then
      read_process(out, process, env, variables, seen)
      for _, key in ipairs(process.other_view and {} or keys) do
        local value = env[key.name]
        local mark = value and table.concat({ key.authority, key.name, key.below, value }, '\0')
        if mark and not seen[mark] then
          seen[mark] = true
          out:key(key, value, 'variable ' .. key.name)
        end
      end
    end
  end
  return out:results()
end

return {
  doc = 'Endpoints and credentials in the environments of the caller\'s running processes, for '
    .. 'each variable in the `env` and the `secrets` of an authority record.',
  discover = discover,
}
