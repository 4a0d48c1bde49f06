--- Reads ssh_config(5) files with all they include, running nothing: every block counts, whatever
-- its condition, since another host or user may make it true.
local endpoint = require 'confine.values.endpoint'

local M = {}

--- Depth of Include at which OpenSSH gives up too (readconf.c, READCONF_MAX_DEPTH).
M.MAX_DEPTH = 16
--- Most files that are read in all.
M.MAX_FILES = 256

--- Splits a line into words as OpenSSH does: quotes group, `#` starts a comment between words.
local function words(line)
  local list, at = {}, 1
  while true do
    at = line:match('^[ \t\r]*()', at)
    local c = line:sub(at, at)
    if c == '' or c == '#' then return list end
    local word = {}
    while true do
      c = line:sub(at, at)
      if c == '' or c:find('[ \t\r]') then break end
      if c == '"' or c == "'" then
        local stop = line:find(c, at + 1, true) or #line + 1
        word[#word + 1] = line:sub(at + 1, stop - 1)
        at = stop + 1
      else
        local plain, after = line:match('^([^ \t\r"\']+)()', at)
        word[#word + 1] = plain
        at = after
      end
    end
    list[#list + 1] = table.concat(word)
  end
end

--- Host names that a block's line names without a star.
local function literal(patterns)
  local list = {}
  for _, name in ipairs(patterns) do
    for one in name:gmatch('[^,]+') do
      if one:find('^[%w][%w._:-]*$') then list[#list + 1] = one end
    end
  end
  return list
end

--- Names in a Match line, which has pairs such as `host a,b`.
local function matched(args)
  local list = {}
  for i = 1, #args - 1 do
    local attribute = args[i]:lower()
    if attribute == 'host' or attribute == 'originalhost' then list[#list + 1] = args[i + 1] end
  end
  return literal(list)
end

local Reader = {}
Reader.__index = Reader

--- Takes the paths of an Include line; a relative one lies in the folder of that kind of settings.
function Reader:include(args, folder, depth, block)
  for _, name in ipairs(args) do
    local where = name:gsub('^~/', function() return self.home .. '/' end)
    where = where:gsub('%${([%w_]+)}', self.env):gsub('%%d', function() return self.home end)
    if where:find('[%%$]') or where:sub(1, 1) == '~' then
      self.complete = false
      self.out:problem('ssh: an Include that cannot be followed: ' .. endpoint.shown(name))
    else
      if where:sub(1, 1) ~= '/' then where = folder .. '/' .. where end
      local files, whole = self.out:glob(where)
      if not whole then self.complete = false end
      for _, file in ipairs(files) do self:file(file, folder, depth + 1, block) end
    end
  end
end

function Reader:line(line, file, folder, depth, block)
  local key, rest = line:match('^[ \t]*"?([%w]+)"?[ \t]*=?[ \t]*(.*)$')
  if not key then return block end
  local args = words(rest)
  key = key:lower()
  if key == 'host' then return { hosts = literal(args), settings = {} } end
  if key == 'match' then return { hosts = matched(args), settings = {} } end
  if key == 'include' then
    self:include(args, folder, depth, block)
  elseif args[1] then
    local list = block.settings[key] or {}
    block.settings[key] = list
    list[#list + 1] = args[1]
    self.settings[#self.settings + 1] = { key = key, value = args[1], file = file, block = block }
  end
  return block
end

--- Reads one file and what it includes.
-- @param folder where its relative Includes lie
function Reader:file(file, folder, depth, block)
  if self.seen[file] then return end
  self.seen[file] = true
  self.files = self.files + 1
  if depth > M.MAX_DEPTH or self.files > M.MAX_FILES then
    self.complete = false
    self.out:problem('ssh: too many or too deep Includes: ' .. endpoint.shown(file))
    return
  end
  local text, reason = self.out.host.read(file, self.out.MAX_FILE)
  if not text then
    if reason then
      self.complete = false
      self.out:problem(('%s: %s'):format(endpoint.shown(file), reason))
    end
    return
  end
  -- Quotes may stand inside a word, so the word is looked for with them left out.
  local bare = text:gsub('["\'\\]', ''):lower()
  if bare:find('exec', 1, true) then self.runs = true end
  if bare:find('canonicalizehostname', 1, true) then self.looks_up = true end
  for line in text:gmatch('[^\n]+') do block = self:line(line, file, folder, depth, block) end
end

--- Reads the caller's and the machine's settings.
-- @param out a collection (scripts/found.lua), whose host is read and which takes the problems
-- @param homes list of folders: the caller's homes
-- @return { settings = list of { key (lower case), value, file, block = { hosts, settings } },
--   runs = true where a Match might run a command, looks_up = true where a name server might be
--   asked, complete = false where something could not be read }
function M.read(out, homes)
  local reader = setmetatable({ out = out, env = out.host.env, seen = {}, files = 0, settings = {},
    runs = false, looks_up = false, complete = true }, Reader)
  for _, home in ipairs(homes) do
    reader.home = home
    reader:file(home .. '/.ssh/config', home .. '/.ssh', 0, { hosts = {}, settings = {} })
  end
  reader:file('/etc/ssh/ssh_config', '/etc/ssh', 0, { hosts = {}, settings = {} })
  return { settings = reader.settings, runs = reader.runs, looks_up = reader.looks_up,
    complete = reader.complete }
end

--- What each token may stand for in a block; a token that is not named here is any text.
local function tokens(block, host)
  local settings = block.settings
  local names = {}
  table.move(block.hosts, 1, #block.hosts, 1, names)
  for _, name in ipairs(settings.hostname or {}) do
    if not name:find('%', 1, true) then names[#names + 1] = name end
  end
  return {
    ['%'] = { '%' }, d = { host.home }, i = { tostring(host.uid) }, u = { host.user },
    l = { host.hostname }, L = { (host.hostname:match('^[^.]*')) },
    n = block.hosts, k = settings.hostkeyalias or block.hosts, h = names,
    p = settings.port or {}, r = settings.user or {},
  }
end

--- Most paths that one setting may stand for; beyond, the tokens become stars.
local MAX_PATHS = 64

local function append(list, choices)
  local longer = {}
  for _, item in ipairs(list) do
    for _, choice in ipairs(choices) do
      longer[#longer + 1] = { path = item.path .. choice,
        glob = item.glob .. endpoint.literal(choice), any = item.any }
    end
  end
  return longer
end

--- The paths or globs that a value of IdentityAgent, ControlPath and their like stands for.
-- @param setting one of the settings that M.read gave
-- @param host the narrow interface of a host
-- @return list of { path } or { glob }; nil and the problem where it cannot be told
function M.expand(setting, host)
  local value = setting.value
  if #value > endpoint.MAX_PATH then
    return nil, ('longer than %d bytes: %s'):format(endpoint.MAX_PATH, endpoint.shown(value))
  end
  if value:sub(1, 2) == '~/' then value = '%d' .. value:sub(2) end
  if value:sub(1, 1) == '~' then
    return nil, 'a home that is not the caller\'s: ' .. endpoint.shown(value)
  end
  local known = tokens(setting.block, host)
  local list, at = { { path = '', glob = '', any = false } }, 1
  -- A path that is too long already is a problem whatever follows.
  while at <= #value and #list[1].path <= endpoint.MAX_PATH do
    local plain, after = value:match('^([^%%$]+)()', at)
    local token = value:match('^%%(.)', at)
    local variable = value:match('^%${([%w_]+)}', at)
    if plain then
      list = append(list, { plain })
      at = after
    elseif variable then
      if not host.env[variable] then return nil, 'the variable ' .. variable .. ' is not set' end
      list = append(list, { host.env[variable] })
      at = at + #variable + 3
    elseif token then
      local choices = known[token] or {}
      if #choices == 0 or #list * #choices > MAX_PATHS then
        for _, item in ipairs(list) do
          item.path, item.glob, item.any = item.path .. '*', item.glob .. '*', true
        end
      else
        list = append(list, choices)
      end
      at = at + 2
    else
      list = append(list, { value:sub(at, at) })
      at = at + 1
    end
  end
  local out = {}
  for _, item in ipairs(list) do
    local found, problem = endpoint.path(item.any and item.glob or item.path, {})
    if not found or found.path:find('%c') then
      return nil, problem or 'holds control characters: ' .. endpoint.shown(value)
    end
    out[#out + 1] = item.any and { glob = (found.path:gsub('%*+', '*')) } or found
  end
  return out
end

return M
