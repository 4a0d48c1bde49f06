-- Values as JSON for programs: keys sorted, so that equal values print alike.

local M = {}

local cjson

--- The mark of a table that is an object also while it is empty.
local OBJECT = {}

local function library()
  cjson = cjson or require('cjson').new()
  return cjson
end

--- JSON text is UTF-8; a byte that is not becomes the code point of its own number.
local function utf8_text(s)
  if utf8.len(s) then return s end
  local out, at = {}, 1
  while at <= #s do
    local ok, stop = utf8.len(s, at)
    if ok then
      out[#out + 1] = s:sub(at)
      break
    end
    out[#out + 1] = s:sub(at, stop - 1) .. utf8.char(s:byte(stop))
    at = stop + 1
  end
  return table.concat(out)
end

local encode

local function encode_list(list, indent, deeper)
  if #list == 0 then return '[]' end
  local out = {}
  for i, item in ipairs(list) do out[i] = deeper .. encode(item, deeper) end
  return '[\n' .. table.concat(out, ',\n') .. '\n' .. indent .. ']'
end

local function encode_object(object, indent, deeper)
  local keys = {}
  for key in pairs(object) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  local out = {}
  for i, key in ipairs(keys) do
    local item = object[key]
    if item == nil then item = object[tonumber(key)] end
    out[i] = deeper .. library().encode(utf8_text(key)) .. ': ' .. encode(item, deeper)
  end
  return '{\n' .. table.concat(out, ',\n') .. '\n' .. indent .. '}'
end

function encode(value, indent)
  if type(value) == 'string' then return (library().encode(utf8_text(value)):gsub('\\/', '/')) end
  if type(value) ~= 'table' then return library().encode(value) end
  local deeper = indent .. '  '
  if next(value) == nil and getmetatable(value) == OBJECT then return '{}' end
  if #value > 0 or next(value) == nil then return encode_list(value, indent, deeper) end
  return encode_object(value, indent, deeper)
end

--- Marks a table with names for keys, so that it is `{}` when it is empty.
-- @return the table
function M.object(table)
  return setmetatable(table, OBJECT)
end

--- A plain value as indented JSON. Empty tables are lists, but for marked objects; a byte string
-- that is not UTF-8 is read as Latin-1, since JSON has no bytes.
-- @return string ending without a newline
function M.encode(value)
  return encode(value, '')
end

--- Reads JSON text; nil and the reason when it is not JSON (lua-cjson's words).
function M.decode(text)
  local ok, value = pcall(library().decode, text)
  if ok then return value end
  return nil, value
end

return M
