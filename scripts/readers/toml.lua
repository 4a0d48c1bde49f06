--- Reads the part of TOML that engines' settings use: tables with strings and lists of strings.
--
-- Other values are skipped; what follows an unreadable line is read all the same, since a setting
-- that is overlooked would be an endpoint that nobody refuses.
local M = {}

local ESCAPES = { b = '\b', t = '\t', n = '\n', f = '\f', r = '\r', ['"'] = '"', ['\\'] = '\\' }

local function unescape(s)
  s = s:gsub('\\u(%x%x%x%x)', function(hex) return utf8.char(tonumber(hex, 16)) end)
  return (s:gsub('\\(.)', function(c) return ESCAPES[c] end))
end

--- The string that starts at `at` and where it ends, within its line; nil where there is none.
local function string_at(s, at)
  local quote = s:sub(at, at)
  if quote == "'" then
    local stop = s:match("^[^'\n]*()", at + 1)
    if s:sub(stop, stop) ~= "'" then return nil end
    return s:sub(at + 1, stop - 1), stop
  elseif quote == '"' then
    local stop = at + 1
    local c = s:sub(stop, stop)
    while c ~= '"' do
      if c == '' or c == '\n' then return nil end
      stop = stop + (c == '\\' and 2 or 1)
      c = s:sub(stop, stop)
    end
    return unescape(s:sub(at + 1, stop - 1)), stop
  end
  return nil
end

--- The dotted name at the start of `s`, its parts joined by dots, and where it ends.
local function name_at(s, at)
  local parts = {}
  while true do
    at = s:match('^%s*()', at)
    local part, stop = string_at(s, at)
    if not part then
      part = s:match('^[%w_-]+', at)
      stop = part and at + #part - 1
    end
    if not part then return nil end
    parts[#parts + 1] = part
    at = s:match('^%s*()', stop + 1)
    if s:sub(at, at) ~= '.' then return table.concat(parts, '.'), at end
    at = at + 1
  end
end

--- All strings up to the closing bracket, across lines.
local function list_at(s, at)
  local list = {}
  while at <= #s do
    local c = s:sub(at, at)
    if c == ']' then return list, at end
    if c == '#' then
      at = s:find('\n', at, true) or #s
    else
      local item, stop = string_at(s, at)
      if item then
        list[#list + 1] = item
        at = stop
      elseif c == '"' or c == "'" then
        at = s:find('\n', at, true) or #s
      end
    end
    at = at + 1
  end
  return list, at
end

local entry_at

--- The entries of an inline table, which ends in its line.
local function inline_at(s, at, name, out)
  local stop = s:find('\n', at, true) or #s + 1
  while at and at < stop do
    at = s:match('^[ \t,]*()', at)
    if s:sub(at, at) == '}' then return at end
    at = entry_at(s, at, name, out)
  end
  return stop - 1
end

--- One `key = value`; the place after it, or nil where there is none.
function entry_at(s, at, section, out)
  local key, stop = name_at(s, at)
  if not key or s:sub(stop, stop) ~= '=' then return nil end
  at = s:match('^[ \t]*()', stop + 1)
  local full = section == '' and key or section .. '.' .. key
  local c, value = s:sub(at, at), nil
  if c == '[' then
    value, stop = list_at(s, at + 1)
  elseif c == '{' then
    stop = inline_at(s, at + 1, full, out)
  else
    value, stop = string_at(s, at)
    if not stop then stop = (s:match('^[^\n,}]*()', at)) - 1 end
  end
  if value then
    local where, name = full:match('^(.*)%.([^.]*)$')
    out[#out + 1] = { table = where or '', key = name or full, value = value }
  end
  return stop + 1
end

--- Reads a text.
-- @param text string
-- @return list of { table = 'a.b' ('' at the top), key, value = string or list of strings }
function M.read(text)
  local out, section, at = {}, '', 1
  while at <= #text do
    at = text:match('^%s*()', at)
    local c = text:sub(at, at)
    local after
    if c == '[' then
      local name, stop = name_at(text, (text:match('^%[+()', at)))
      if name and text:sub(stop, stop) == ']' then section = name end
    elseif c ~= '#' and c ~= '' then
      after = entry_at(text, at, section, out)
    end
    at = (text:find('\n', after or at, true) or #text) + 1
  end
  return out
end

return M
