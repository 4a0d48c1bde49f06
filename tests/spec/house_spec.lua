--- The house rules that a machine can check: which room may use which, how files open, their size.

local MAX_LINES = 500

-- What each room of lua/confine may require besides itself. Effects stay in the doors.
local LUA_ROOMS = {
  values = {},
  doctor = { 'values' },
  endpoints = { 'values' },
  words = { 'values', 'endpoints' },
  pipeline = { 'values', 'endpoints', 'words' },
  battery = { 'values', 'endpoints', 'words', 'pipeline' },
  views = { 'values', 'endpoints', 'words', 'pipeline', 'battery' },
  doors = { 'values', 'doctor', 'endpoints', 'words', 'pipeline', 'battery', 'views', 'core' },
  forms = { 'values', 'doctor', 'endpoints', 'words', 'pipeline', 'battery', 'views', 'doors',
    'core' },
}
local EFFECTS = { doors = true, forms = true }

-- The same for what files of core/ may include. The engine knows no Lua.
local C_ROOMS = {
  base = {},
  host = { 'base' },
  stage = { 'base', 'host' },
  guard = { 'base', 'host' },
  launch = { 'base', 'host', 'stage', 'guard' },
  vm = { 'base', 'lua' },
  lua = { 'base', 'host', 'stage', 'guard', 'launch', 'vm' },
  probe = { 'base' },
}

--- The files below folders whose name ends in one of some ways, sorted.
local function files(folders, ...)
  local found = {}
  for _, folder in ipairs(folders) do
    local pipe = io.popen(("find '%s' -type f 2>/dev/null | LC_ALL=C sort"):format(folder))
    for path in pipe:lines() do
      for _, suffix in ipairs { ... } do
        if path:sub(-#suffix) == suffix then found[#found + 1] = path end
      end
    end
    pipe:close()
  end
  return found
end

local function read(path)
  local handle = assert(io.open(path))
  local text = handle:read('a')
  handle:close()
  return text
end

local LUA = files({ 'lua', 'policies', 'scripts', 'tests', 'tools' }, '.lua')
local C = files({ 'core', 'tests' }, '.c', '.h')
local SHELL = files({ 'build.sh', '.ci', 'scripts', 'tests' }, '.sh', '/run')

local function all()
  local list = {}
  for _, group in ipairs { LUA, C, SHELL } do table.move(group, 1, #group, #list + 1, list) end
  return list
end

--- Lua text without its comments and without the insides of its strings.
local function code_of(text)
  text = text:gsub('%-%-%[(=*)%[.-%]%1%]', '')
  local kept = {}
  for line in text:gmatch('[^\n]*') do
    line = line:gsub('\\.', ''):gsub("'[^']*'", "''"):gsub('"[^"]*"', '""')
    kept[#kept + 1] = line:gsub('%-%-.*', '')
  end
  return table.concat(kept, '\n')
end

--- Names the uses of a room in another that its table does not allow.
local function strays(uses, rooms)
  local list = {}
  for _, use in ipairs(uses) do
    local is_allowed = use.from == use.to
    for _, room in ipairs(rooms[use.from] or {}) do is_allowed = is_allowed or room == use.to end
    if not rooms[use.from] then
      list[#list + 1] = ('%s: a room this spec does not know'):format(use.path)
    elseif not is_allowed then
      list[#list + 1] = ('%s: %s may not use %s'):format(use.path, use.from, use.to)
    end
  end
  return list
end

--- Every cycle in a graph of names, as one text each.
local function cycles(graph)
  local state, list, way = {}, {}, {}
  local function visit(name)
    state[name] = 'open'
    way[#way + 1] = name
    for _, next_name in ipairs(graph[name] or {}) do
      if state[next_name] == 'open' then
        list[#list + 1] = table.concat(way, ' -> ') .. ' -> ' .. next_name
      elseif not state[next_name] then
        visit(next_name)
      end
    end
    way[#way] = nil
    state[name] = 'done'
  end
  local names = {}
  for name in pairs(graph) do names[#names + 1] = name end
  table.sort(names)
  for _, name in ipairs(names) do
    if not state[name] then visit(name) end
  end
  return list
end

--- What the first comment of a file says, without its marks, up to the first empty line.
local function opening(text)
  text = text:gsub('^#![^\n]*\n', '')
  local comment = text:match('^/%*(.-)%*/')
  if not comment then
    local lines = {}
    for line in text:gmatch('[^\n]*') do
      local said = line:match('^%-%-%-?(.*)') or line:match('^#(.*)')
      if not said or said:match('^%s*$') then break end
      lines[#lines + 1] = said
    end
    comment = table.concat(lines, '\n')
  end
  return (comment:gsub('\n%s*%*?', ' '):gsub('^%s+', ''))
end

describe('the house', function()
  it('has files to check', function()
    assert.is_true(#LUA > 0 and #C > 0)
  end)

  it('lets requires point one way only', function()
    local uses = {}
    for _, path in ipairs(files({ 'lua/confine' }, '.lua')) do
      local from = path:match('^lua/confine/(%w+)')
      if from ~= 'init' then
        for to in read(path):gmatch("require%s*%(?%s*'confine%.(%w+)") do
          uses[#uses + 1] = { path = path, from = from, to = to }
        end
      end
    end
    assert.same({}, strays(uses, LUA_ROOMS))
  end)

  it('has no cycle of requires', function()
    local graph = {}
    for _, path in ipairs(files({ 'lua' }, '.lua')) do
      local name = path:match('^lua/(.*)%.lua$'):gsub('/init$', ''):gsub('/', '.')
      graph[name] = {}
      for to in read(path):gmatch("\n[^\n]-require%s*%(?%s*'([%w_.]+)'") do
        table.insert(graph[name], to)
      end
    end
    assert.same({}, cycles(graph))
  end)

  it('touches the world in the doors and forms only', function()
    local list = {}
    for _, path in ipairs(files({ 'lua/confine' }, '.lua')) do
      if not EFFECTS[path:match('^lua/confine/(%w+)')] then
        local code = code_of(read(path))
        for word in code:gmatch('%f[%w_.](%l+)%.[%l_]+') do
          if word == 'io' or word == 'os' then list[#list + 1] = path .. ': ' .. word end
        end
        if read(path):find("require%s*%(?%s*'posix") then list[#list + 1] = path .. ': posix' end
      end
    end
    assert.same({}, list)
  end)

  it('lets includes point one way only', function()
    local uses = {}
    for _, path in ipairs(files({ 'core' }, '.c', '.h')) do
      local from = path:match('^core/(%w+)/')
      for to in read(path):gmatch('#include "(%w+)/') do
        if from then uses[#uses + 1] = { path = path, from = from, to = to } end
      end
    end
    assert.same({}, strays(uses, C_ROOMS))
  end)

  it('has no cycle of includes', function()
    local graph = {}
    for _, path in ipairs(files({ 'core' }, '.h')) do
      graph[path] = {}
      for to in read(path):gmatch('#include "([^"]+)"') do
        table.insert(graph[path], to:find('/') and 'core/' .. to
          or path:gsub('[^/]+$', '') .. to)
      end
    end
    assert.same({}, cycles(graph))
  end)

  it('opens every file with a sentence that says what it is for', function()
    local list = {}
    for _, path in ipairs(all()) do
      local said = opening(read(path))
      if not said:match('^[/%w`\'"<].-[%w%)`\'">*/][.:]%f[%s\0]') then
        list[#list + 1] = ('%s: %s'):format(path, said:sub(1, 60))
      end
    end
    assert.same({}, list)
  end)

  it('keeps files short', function()
    local list = {}
    for _, path in ipairs(all()) do
      local _, lines = read(path):gsub('\n', '')
      if lines > MAX_LINES then list[#list + 1] = ('%s: %d lines'):format(path, lines) end
    end
    assert.same({}, list)
  end)

  it('has no tabs, no spaces at line ends, and a line end at the end', function()
    local list = {}
    for _, path in ipairs(all()) do
      local text = read(path)
      if text:find('\t') then list[#list + 1] = path .. ': a tab' end
      if text:find(' \n') then list[#list + 1] = path .. ': a space at a line end' end
      if text:sub(-1) ~= '\n' then list[#list + 1] = path .. ': no line end at the end' end
    end
    assert.same({}, list)
  end)

  it('leaves nothing for later in a comment', function()
    local list = {}
    for _, path in ipairs(all()) do
      local text = read(path)
      for _, word in ipairs { 'TO' .. 'DO', 'FIX' .. 'ME' } do
        if text:find(word, 1, true) then list[#list + 1] = path .. ': ' .. word end
      end
    end
    assert.same({}, list)
  end)
end)
