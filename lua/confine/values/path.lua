-- Paths as text: normal form, ancestry, and the expansion of `~`, `$VARIABLE` and relative names.

local glob = require 'confine.values.glob'

local M = {}

--- An absolute path without empty and `.` components and without a trailing slash. `..` stays: what
-- it means behind a symbolic link only the host's own look (core.paths.look) tells.
function M.tidy(path)
  local parts = {}
  for part in path:gmatch('[^/]+') do
    if part ~= '.' then parts[#parts + 1] = part end
  end
  return '/' .. table.concat(parts, '/')
end

--- Lexical normal form of an absolute path: no empty, `.` or `..` component, no trailing slash.
-- Only for text that names no symbolic link; see M.tidy for other.
function M.normal(path)
  local parts = {}
  for part in path:gmatch('[^/]+') do
    if part == '..' then
      parts[#parts] = nil
    elseif part ~= '.' then
      parts[#parts + 1] = part
    end
  end
  return '/' .. table.concat(parts, '/')
end

--- Joins a folder and a name.
function M.join(folder, name)
  return folder == '/' and '/' .. name or folder .. '/' .. name
end

local folders, names = {}, {}

--- The folder that holds a normal path, and the name in it; nil for `/`.
function M.split(path)
  local folder = folders[path]
  if folder then return folder, names[path] end
  if path == '/' then return nil end
  local name
  folder, name = path:match('^(.*)/([^/]*)$')
  if folder == '' then folder = '/' end
  folders[path], names[path] = folder, name
  return folder, name
end

--- Is `path` the folder itself or below it? Both normal.
function M.within(path, folder)
  if folder == '/' or path == folder then return true end
  local length = #folder
  return path:byte(length + 1) == 47 and path:sub(1, length) == folder
end

--- Is `path` strictly below the folder?
function M.below(path, folder)
  return path ~= folder and M.within(path, folder)
end

--- The folders strictly between `base` and `path`, nearest to `base` first, then nothing of `path`.
-- between('/run', '/run/user/7/bus') is { '/run/user', '/run/user/7' }.
function M.between(base, path)
  local out, at = {}, M.split(path)
  while at and M.below(at, base) do
    table.insert(out, 1, at)
    at = M.split(at)
  end
  return out
end

--- Sorts a list in place so that a folder comes before what is in it, else by bytes.
-- @param list of paths, or of tables with a `path`
-- @param tie function(a, b) -> boolean, for items of one path; optional
-- @return the list
function M.sort(list, tie)
  -- Keys are compared natively; a comparison in Lua for each step took half the time of a run.
  local keys, by_key, more = {}, {}, {}
  for _, item in ipairs(list) do
    local key = (type(item) == 'table' and item.path or item):gsub('/', '\0')
    local first = by_key[key]
    if first == nil then
      by_key[key] = item
      keys[#keys + 1] = key
    else
      more[key] = more[key] or { first }
      table.insert(more[key], item)
    end
  end
  table.sort(keys)
  local at = 0
  for _, key in ipairs(keys) do
    local bucket = more[key]
    if bucket and tie then table.sort(bucket, tie) end
    for i = 1, bucket and #bucket or 1 do
      at = at + 1
      list[at] = bucket and bucket[i] or by_key[key]
    end
  end
  return list
end

--- The outermost of some folders.
function M.outermost(all)
  local out = {}
  for _, folder in ipairs(M.sort(all)) do
    local last = out[#out]
    if not (last and M.within(folder, last)) then out[#out + 1] = folder end
  end
  return out
end

local function add(list, seen, value)
  if value and not seen[value] then
    seen[value] = true
    list[#list + 1] = value
  end
end

--- The places that a variable's value may mean to the programs that read it: as it is, each part of
-- a list, behind `FILE:`, below the home, relative to where one stands.
local function places_of(value, facts, take)
  local parts = { value }
  for part in (value:find(':', 1, true) and value or ''):gmatch '[^:]+' do
    parts[#parts + 1] = part
  end
  for _, part in ipairs(parts) do
    part = part:match '^%u+:(/.*)$' or part
    if part:sub(1, 2) == '~/' then
      for _, home in ipairs(facts.homes) do take(home .. part:sub(2)) end
    elseif part:sub(1, 1) == '/' then
      take(part)
    elseif part ~= '' and facts.cwd then
      take(M.join(facts.cwd, part))
    end
  end
end

--- What a variable at the start of a thing stands for, each value once.
-- @param is_refused boolean: for what is refused, whatever some program takes the value for
local function values_of(name, facts, is_refused)
  local list, seen = {}, {}
  if name == 'HOME' then
    for _, home in ipairs(facts.homes) do add(list, seen, home) end
  elseif name == 'XDG_RUNTIME_DIR' then
    for _, dir in ipairs(facts.runtime_dirs) do add(list, seen, dir) end
  elseif name == 'UID' then
    add(list, seen, tostring(facts.uid))
  elseif name == 'USER' then
    add(list, seen, facts.user)
  else
    local value = facts.env[name]
    local function take(where)
      if not where:find('%c') then add(list, seen, glob.literal(where)) end
    end
    if value and is_refused and not name:find '^XDG_' then
      places_of(value, facts, take)
    elseif value and value:sub(1, 1) == '/' then
      take(value)
    end
    if name == 'XDG_CONFIG_HOME' or name == 'XDG_DATA_HOME' or name == 'XDG_STATE_HOME'
      or name == 'XDG_CACHE_HOME' then
      local default = { XDG_CONFIG_HOME = '/.config', XDG_DATA_HOME = '/.local/share',
        XDG_STATE_HOME = '/.local/state', XDG_CACHE_HOME = '/.cache' }
      for _, home in ipairs(facts.homes) do add(list, seen, home .. default[name]) end
    end
  end
  return list
end

local function expand_variables(text, facts, is_refused)
  local before, name, after = text:match('^(.-)%$([%a_][%w_]*)(.*)$')
  if not before then return { text } end
  local out = {}
  for _, value in ipairs(values_of(name, facts, is_refused)) do
    for _, rest in ipairs(expand_variables(after, facts, is_refused)) do
      out[#out + 1] = before .. value .. rest
    end
  end
  return out
end

--- Is a text all names: no variable in it, no empty, `.` or `..` component, no slash at its end?
-- @param from variables count from this byte on; 1 where it is left out
function M.is_plain(text, from)
  return not text:find('$', from, true) and not text:find('//', 1, true) and text:byte(-1) ~= 47
    and not text:find('%f[^/\0]%.%.?%f[/\0]')
end

--- A path up to its last `..`, and what follows (with its slash); nil where there is no `..`.
function M.climb(path)
  return path:match('^(.*/%.%.)%f[/\0](.*)$')
end

--- What a text with `..` stands for where the facts have looks of it up to there, else the text.
local function climbed(text, facts)
  local up, rest = M.climb(text)
  local looks = up and facts.looks and facts.looks[up]
  if not looks then return { text } end
  -- A star that matches nothing stands for no link either.
  if #looks == 0 then return { M.normal(text) } end
  local out = {}
  for i, look in ipairs(looks) do
    local folder = glob.literal(M.normal(look.path))
    out[i] = folder == '/' and rest ~= '' and rest or folder .. rest
  end
  return out
end

--- A variable and what follows it: `~` is `$HOME`; a relative name is below the root.
-- @return name of the variable, what follows (with its slash), or nil where there is none
local function leading(thing)
  local first = thing:byte(1)
  if first == 126 then
    if #thing == 1 or thing:byte(2) == 47 then return 'HOME', thing:sub(2) end
  elseif first == 36 then
    local name, rest = thing:match('^%$([%a_][%w_]*)(.*)$')
    if name and (rest == '' or rest:byte(1) == 47) then return name, rest end
  end
end

--- The absolute paths or globs that a thing of a policy stands for.
-- `~` is the environment's and the password file's home alike; `$XDG_RUNTIME_DIR` is the
-- environment's and /run/user/UID alike; other variables are the launcher's and an unset one
-- stands for nothing; a relative name is below the writable root.
-- @param thing string as a policy writes it
-- @param facts table with homes, runtime_dirs, env, uid, user, root, and with looks of what holds
--   `..` (pipeline.survey.climbs), optional
-- @param is_refused boolean: all that a variable's value may mean to some program (a list, a name
--   relative to facts.cwd, `~`), for what is refused
-- @return list of absolute paths or globs, without repeats: normal, but for a `..` that the facts
--   do not know
function M.expand(thing, facts, is_refused)
  local first = thing:byte(1)
  if first == 47 and M.is_plain(thing) then return { thing } end
  local name, rest = leading(thing)
  local texts = { thing }
  if name and not rest:find('$', 1, true) then
    texts = values_of(name, facts, is_refused)
    for i, value in ipairs(texts) do texts[i] = value .. rest end
  elseif thing:find('$', 1, true) then
    texts = expand_variables(name == 'HOME' and '$HOME' .. rest or thing, facts, is_refused)
  end
  local out, seen = {}, {}
  for _, text in ipairs(texts) do
    if text:byte(1) ~= 47 then text = facts.root and M.join(facts.root, text) end
    if text and M.is_plain(text) then
      add(out, seen, text)
    elseif text then
      for _, item in ipairs(climbed(M.tidy(text), facts)) do add(out, seen, item) end
    end
  end
  return out
end

return M
