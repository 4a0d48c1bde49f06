--- Writes Lua values so that a person can compare them: sorted keys, one field a line, line diffs.
local M = {}

local NAMED = { ['\n'] = '\\n', ['\t'] = '\\t', ['\r'] = '\\r', ['\\'] = '\\\\', ["'"] = "\\'" }

local RANK = { number = 1, string = 2, boolean = 3 }

local function escaped(c) return NAMED[c] or ('\\%03d'):format(c:byte()) end

--- A string as a single-quoted Lua literal; control bytes are escaped, other bytes stay.
local function quoted(text) return "'" .. text:gsub("[%c\\']", escaped) .. "'" end

--- Numbers first, then strings, then the rest by how they print.
local function before(a, b)
  local rank_a, rank_b = RANK[type(a)] or 4, RANK[type(b)] or 4
  if rank_a ~= rank_b then return rank_a < rank_b end
  if rank_a <= 2 then return a < b end
  return tostring(a) < tostring(b)
end

local function sorted_keys(t)
  local keys = {}
  for key in next, t do keys[#keys + 1] = key end
  table.sort(keys, before)
  return keys
end

local function scalar(v)
  if type(v) == 'string' then return quoted(v) end
  return tostring(v)
end

--- Appends the lines of `v` to `out`; `lead` stands before the first line, `tail` after the last.
local function write(out, v, indent, lead, tail, open)
  if type(v) ~= 'table' then
    out[#out + 1] = indent .. lead .. scalar(v) .. tail
  elseif open[v] then
    out[#out + 1] = indent .. lead .. '<the same table again>' .. tail
  elseif next(v) == nil then
    out[#out + 1] = indent .. lead .. '{}' .. tail
  else
    open[v] = true
    out[#out + 1] = indent .. lead .. '{'
    local place = 1
    for _, key in ipairs(sorted_keys(v)) do
      local name
      if key == place then
        name, place = '', place + 1
      elseif type(key) == 'string' and key:match('^[%a_][%w_]*$') then
        name = key .. ' = '
      else
        name = '[' .. scalar(key) .. '] = '
      end
      write(out, rawget(v, key), indent .. '  ', name, ',', open)
    end
    out[#out + 1] = indent .. '}' .. tail
    open[v] = nil
  end
end

--- The lines that show a value.
-- @param v anything; tables are shown whole, metatables are ignored; a text of several lines is
--   shown line by line, quoted, with only its control bytes escaped
-- @return a list of lines without line ends
function M.lines(v)
  local out = {}
  if type(v) == 'string' and v:find('\n', 1, true) then
    for line in (v .. '\n'):gmatch('(.-)\n') do
      out[#out + 1] = "'" .. line:gsub('%c', escaped) .. "'"
    end
  else
    write(out, v, '', '', '', {})
  end
  return out
end

--- The same as one text: short tables on one line.
-- @return a string
function M.text(v)
  if type(v) ~= 'table' then return scalar(v) end
  local lines = M.lines(v)
  local one = table.concat(lines, ' '):gsub('%s+', ' '):gsub(', }', ' }')
  if #one <= 72 then return one end
  return table.concat(lines, '\n')
end

--- How many lines the longest common subsequence of a[i..] and b[j..] has, for every i and j.
local function common_lengths(a, b)
  local length = {}
  for i = #a + 1, 1, -1 do
    length[i] = {}
    for j = #b + 1, 1, -1 do
      if i > #a or j > #b then
        length[i][j] = 0
      elseif a[i] == b[j] then
        length[i][j] = length[i + 1][j + 1] + 1
      else
        length[i][j] = math.max(length[i + 1][j], length[i][j + 1])
      end
    end
  end
  return length
end

--- Keeps three unchanged lines around each change.
local function near_changes(marked)
  local out, near = {}, {}
  for i, line in ipairs(marked) do
    if line:sub(1, 1) ~= ' ' then
      for j = i - 3, i + 3 do near[j] = true end
    end
  end
  for i, line in ipairs(marked) do
    if near[i] then
      out[#out + 1] = line
    elseif out[#out] ~= '  ...' then
      out[#out + 1] = '  ...'
    end
  end
  return out
end

--- Compares two lists of lines.
-- @param got, wanted lists of lines
-- @return a list of lines: `- ` only in got, `+ ` only in wanted, `  ` in both
function M.diff(got, wanted)
  local marked = {}
  if #got * #wanted > 4000000 then
    for _, line in ipairs(got) do marked[#marked + 1] = '- ' .. line end
    for _, line in ipairs(wanted) do marked[#marked + 1] = '+ ' .. line end
    return marked
  end
  local length = common_lengths(got, wanted)
  local i, j = 1, 1
  while i <= #got or j <= #wanted do
    if i <= #got and got[i] == wanted[j] then
      marked[#marked + 1] = '  ' .. got[i]
      i, j = i + 1, j + 1
    elseif j > #wanted or i <= #got and length[i + 1][j] >= length[i][j + 1] then
      marked[#marked + 1] = '- ' .. got[i]
      i = i + 1
    else
      marked[#marked + 1] = '+ ' .. wanted[j]
      j = j + 1
    end
  end
  return near_changes(marked)
end

--- What a failed comparison prints.
-- @param got, wanted any two values
-- @return a text: two labelled lines, or a diff where a value needs several lines
function M.comparison(got, wanted)
  local one, other = M.text(got), M.text(wanted)
  if not one:find('\n', 1, true) and not other:find('\n', 1, true) then
    local is_multiline = type(got) == 'string' and type(wanted) == 'string' and
      (got .. wanted):find('\n', 1, true)
    if not is_multiline then return 'got:    ' .. one .. '\nwanted: ' .. other end
  end
  return '- got, + wanted\n' .. table.concat(M.diff(M.lines(got), M.lines(wanted)), '\n')
end

return M
