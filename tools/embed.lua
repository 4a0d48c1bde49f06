--- Turns the Lua library and the built-in policies into one C table for the program.
--
-- lua5.4 tools/embed.lua OUTPUT FOLDER...
--
-- Lua sources below lua/ become bytecode with its line information, so that the program neither
-- parses at start nor loses file and line in messages; everything else stays as it is. The
-- system's argparse.lua goes in as lua/argparse.lua, so that the program needs no Lua files at
-- run time. The records below policies/ (authorities, secrets, protected files) go in a second
-- time, all in one chunk named policies/records: reading a hundred small files took a run 4 ms,
-- this takes 0.5. Entries are sorted by name, because core/lua/store.c looks them up by bisection.

local SYSTEM_MODULES = { 'argparse' }

local function read(path)
  local file = assert(io.open(path, 'rb'))
  local text = assert(file:read('a'))
  file:close()
  return text
end

local function quoted(text)
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

--- Regular files below a folder, hidden ones left out.
local function files_below(folder)
  local found = {}
  local find = 'find ' .. quoted(folder) .. " -name '.*' -prune -o -type f -print0"
  local pipe = assert(io.popen(find))
  for path in pipe:read('a'):gmatch('%Z+') do found[#found + 1] = path end
  assert(pipe:close())
  return found
end

local function compiled(path, name)
  return string.dump(assert(load(read(path), '@' .. name, 't')), false)
end

--- Where the system keeps a module; the current directory never counts.
local function system_module(name)
  local function absolute(entry) return entry:find('^/') and entry or '' end
  return assert(package.searchpath(name, (package.path:gsub('[^;]+', absolute))))
end

--- A plain value as Lua source: a list as one, which makes its table at once; other keys sorted.
local function source(value)
  if type(value) ~= 'table' then return ('%q'):format(value) end
  local keys, out = {}, {}
  for i, item in ipairs(value) do out[i] = source(item) end
  for key in pairs(value) do
    if not (math.type(key) == 'integer' and key >= 1 and key <= #out) then keys[#keys + 1] = key end
  end
  table.sort(keys)
  for _, key in ipairs(keys) do out[#out + 1] = ('[%q]=%s'):format(key, source(value[key])) end
  return '{' .. table.concat(out, ',') .. '}'
end

--- The authorities and the catalog of all records, in one chunk.
local function records(entries)
  local kinds = { authorities = {}, secrets = {}, protected = {} }
  local env = { record = function(value) return value end }
  for _, entry in ipairs(entries) do
    local kind = entry.name:match('^policies/(%l+)/[^/]+%.lua$')
    if kinds[kind] then
      local value = load(entry.data, '@' .. entry.name, 't', env)()
      value.from, value.trust = entry.name, 'builtin'
      table.insert(kinds[kind], value)
    end
  end
  package.path = 'lua/?.lua;' .. package.path
  local catalog = require('confine.pipeline.catalog').build(kinds)
  -- The catalog has these names; who wants them in the record's order reads it (doors/sources).
  for _, authority in ipairs(kinds.authorities) do
    authority.sockets, authority.secrets = nil, nil
  end
  local text = 'return ' .. source { authorities = kinds.authorities, catalog = catalog }
  return string.dump(assert(load(text, '=policies/records')), true)
end

local function collect(folders)
  local entries = {}
  for _, folder in ipairs(folders) do
    for _, path in ipairs(files_below(folder)) do
      local is_module = path:find('^lua/') and path:find('%.lua$')
      local data = is_module and compiled(path, path) or read(path)
      entries[#entries + 1] = { name = path, data = data }
    end
  end
  for _, name in ipairs(SYSTEM_MODULES) do
    local inside = ('lua/%s.lua'):format(name)
    entries[#entries + 1] = { name = inside, data = compiled(system_module(name), inside) }
  end
  local function by_name(a, b) return a.name < b.name end
  table.sort(entries, by_name)
  entries[#entries + 1] = { name = 'policies/records', data = records(entries) }
  table.sort(entries, by_name)
  return entries
end

local function write_array(out, index, data)
  out:write(('static const unsigned char file_%d[] = {'):format(index))
  for at = 1, #data, 24 do
    out:write('\n    ', table.concat({ data:byte(at, at + 23) }, ','), ',')
  end
  -- An empty file still needs an element, and text is handed out with a NUL behind it.
  out:write('\n    0};\n')
end

local function main(output, ...)
  local entries = collect { ... }
  local out = assert(io.open(output, 'wb'))
  out:write('/* Made by tools/embed.lua: the Lua library and the built-in policies. */\n',
    '#include "lua/store.h"\n\n')
  for index, entry in ipairs(entries) do write_array(out, index, entry.data) end
  out:write('\nconst struct cf_stored cf_embedded[] = {\n')
  for index, entry in ipairs(entries) do
    out:write(('    {"%s", file_%d, %d},\n'):format(entry.name, index, #entry.data))
  end
  out:write(('};\nconst size_t cf_embedded_count = %d;\n'):format(#entries))
  assert(out:close())
end

main(...)
