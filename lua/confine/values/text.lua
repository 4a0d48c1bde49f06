-- Text as it may be shown: foreign bytes made visible, and cut to a width.

local M = {}

local NAMED = { ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t', ['\0'] = '\\0', ['\27'] = '\\e' }

local function escape(byte)
  return NAMED[byte] or ('\\x%02x'):format(byte:byte())
end

--- Makes a string safe for a terminal and a log line: control bytes, DEL, C1 controls and
-- bytes that are not UTF-8 become escapes; the rest is untouched.
-- @param s string (any bytes)
-- @return string without control characters
function M.visible(s)
  s = s:gsub('[%z\1-\31\127]', escape)
  if not s:find('[\128-\255]') then return s end
  local out, at = {}, 1
  while at <= #s do
    local ok = utf8.len(s, at)
    local stop = ok and #s or select(2, utf8.len(s, at)) - 1
    -- U+0080..U+009F are terminal controls; U+202A..U+202E and U+2066..U+2069 reorder text.
    out[#out + 1] = s:sub(at, stop)
      :gsub('\194[\128-\159]', function(c) return c:gsub('.', escape) end)
      :gsub('\226\128[\170-\174]', function(c) return c:gsub('.', escape) end)
      :gsub('\226\129[\166-\169]', function(c) return c:gsub('.', escape) end)
    if not ok then
      out[#out + 1] = escape(s:sub(stop + 1, stop + 1))
      stop = stop + 1
    end
    at = stop + 1
  end
  return table.concat(out)
end

--- A visible string of at most `width` bytes; what is cut is shown as `...`.
function M.cut(s, width)
  s = M.visible(s)
  if #s <= width then return s end
  return s:sub(1, math.max(0, width - 3)) .. '...'
end

--- A word quoted for a POSIX shell, when it needs quoting.
function M.shell(s)
  if s:find('^[%w%%+,./:=@_-]+$') then return s end
  return "'" .. M.visible(s):gsub("'", "'\\''") .. "'"
end

--- A Lua string in one line: printable UTF-8 stays, all else becomes an escape.
function M.lua_string(s)
  local plain = s:gsub('[\\\']', '\\%0')
  if M.visible(s) ~= s then
    plain = plain:gsub('\n', '\\n'):gsub('[%z\1-\31\127-\255]', function(c)
      return ('\\x%02x'):format(c:byte())
    end)
  end
  return "'" .. plain .. "'"
end

--- Breaks a text at spaces into lines of at most `width` columns, each after the first indented.
function M.wrap(s, width, indent)
  local lines, line = {}, ''
  for word in s:gmatch('%S+') do
    local room = #lines == 0 and width or width - #indent
    if line ~= '' and #line + 1 + #word > room then
      lines[#lines + 1], line = line, word
    else
      line = line == '' and word or line .. ' ' .. word
    end
  end
  lines[#lines + 1] = line
  return table.concat(lines, '\n' .. indent)
end

return M
