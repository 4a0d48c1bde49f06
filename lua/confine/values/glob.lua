-- Shell globs over names and paths: `*` and `?` stay within one component, `[...]` is a set.

local M = {}

local cache, cut = setmetatable({}, { __mode = 'v' }), setmetatable({}, { __mode = 'v' })

--- A set of one character that a policy could not write alone, or not everywhere.
local ESCAPED = '%[([*?[${%s])%]'

--- Where the first glob character is, from a place on; one that M.literal escaped is plain text.
local function find_glob(s, from)
  local at = s:find('[*?[]', from)
  while at and s:byte(at) == 91 and s:find('^' .. ESCAPED, at) do at = s:find('[*?[]', at + 3) end
  return at
end

--- Does the text hold a glob character? One that M.literal escaped does not count.
function M.is_glob(s)
  local at = s:find('[*?[]')
  return at ~= nil and (s:byte(at) ~= 91 or find_glob(s, at) ~= nil)
end

--- Lua pattern of a glob; a leading dot is matched only by a dot.
local function pattern(glob)
  local out, at = {}, 1
  while at <= #glob do
    local c = glob:sub(at, at)
    local start = at == 1 or glob:sub(at - 1, at - 1) == '/'
    if c == '*' then
      out[#out + 1] = start and '%f[^%./\0][^/]*' or '[^/]*'
    elseif c == '?' then
      out[#out + 1] = start and '[^/.]' or '[^/]'
    elseif c == '[' then
      local stop = glob:find(']', at + 2, true)
      if stop then
        local set = glob:sub(at + 1, stop - 1)
          :gsub('[%%%]^]', '%%%0'):gsub('^!', '^'):gsub('^%%%^', '^')
        out[#out + 1] = '[' .. set .. ']'
        at = stop
      else
        out[#out + 1] = '%['
      end
    else
      out[#out + 1] = c:gsub('%W', '%%%0')
    end
    at = at + 1
  end
  return '^' .. table.concat(out) .. '$'
end

--- A glob that matches exactly this text, whatever characters it holds, as a policy may write it: a
-- $ in it is no variable, braces and a blank at its end are meant.
function M.literal(text)
  local special = text:find '{[^{}]*,[^{}]*}' and '[*?[${]' or '[*?[$]'
  return (text:gsub(special, '[%0]'):gsub('%s$', '[%0]'))
end

--- The text of a glob that has no glob character but escaped ones.
function M.plain(glob)
  return glob:find('[', 1, true) and glob:gsub(ESCAPED, '%1') or glob
end

--- The folder above the first component with a glob character, that component, and where it ends.
local function first_part(glob)
  -- Most have no set: one look at them is enough.
  local folder, name, stop = glob:match('^([^*?[]*)/([^/*?[]*[*?][^/]*)()')
  local at = not folder and find_glob(glob)
  if at then
    folder = glob:sub(1, at):match('^(.*)/')
    name, stop = glob:match('^([^/]*)()', #folder + 2)
  end
  return folder, name, stop
end

--- An absolute glob cut in two before each component from the first with a glob character on.
-- parts('/v/*/a/b*') is { '/v', '*' }, { '/v/*', 'a' }, { '/v/*/a', 'b*' }.
-- @return list of { folder = what is before it, a glob too, name = the component, is_glob = has it
--   a glob character?, is_last = does nothing follow it? }; not to be changed
function M.parts(glob)
  local out = cut[glob]
  if out then return out end
  out = {}
  local is_glob = true
  local folder, name, stop = first_part(glob)
  while folder do
    local is_last = stop > #glob
    out[#out + 1] = { folder = folder == '' and '/' or folder, name = name, is_glob = is_glob,
      is_last = is_last }
    if is_last then break end
    folder = glob:sub(1, stop - 1)
    name, stop = glob:match('^([^/]*)()', stop + 1)
    is_glob = M.is_glob(name)
  end
  cut[glob] = out
  return out
end

--- Does `name` match `glob`? Both are bytes; `*` does not cross `/` and does not match a
-- leading dot (glob(7)).
function M.match(glob, name)
  local first = glob:find('[*?[]')
  if not first then return glob == name end
  -- Most names differ before the first star, and need no pattern made for that.
  if first > 1 and glob:sub(1, first - 1) ~= name:sub(1, first - 1) then return false end
  local compiled = cache[glob]
  if not compiled then
    compiled = { pattern(glob) }
    cache[glob] = compiled
  end
  -- The frontier in a leading star would also accept the end of the text.
  return name:find(compiled[1]) ~= nil
end

return M
