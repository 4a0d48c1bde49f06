-- The shapes of arguments: one function for each kind of thing that a word takes.
-- Each takes (args, word) and returns a list of things and a table of options,
-- or nil, nil, the complaint and a hint.

local endpoints = require 'confine.endpoints'
local glob = require 'confine.values.glob'
local problem = require 'confine.values.problem'
local text = require 'confine.values.text'

local M = {}

local function complain(message, hint)
  return nil, nil, message, hint
end

--- Stands for an item of a list that is nil.
local HOLE = {}

--- Has a list no hole: are its numeric keys 1 to n?
local function is_sequence(list)
  local count = 0
  for key in pairs(list) do
    if type(key) == 'number' then count = count + 1 end
  end
  return count == #list
end

--- Splits recorded arguments into strings (things) and named keys (options). A word may be
-- written `w 'a'`, `w('a', { why = 'x' })`, `w 'a' { why = 'x' }` or `w { 'a', 'b', why = 'x' }`.
local function split(args)
  local things, options = {}, {}
  -- Most statements are one word and one string.
  if #args == 1 and type(args[1]) == 'string' then return args, options end
  for _, arg in ipairs(args) do
    if type(arg) == 'table' then
      -- What follows a hole would be passed over; nil stands for it, and is complained of.
      if not is_sequence(arg) then return { HOLE }, options end
      for _, item in ipairs(arg) do things[#things + 1] = item end
      local keys = {}
      for key in pairs(arg) do
        if type(key) ~= 'number' then keys[#keys + 1] = key end
      end
      for _, key in ipairs(keys) do options[key] = arg[key] end
    else
      things[#things + 1] = arg
    end
  end
  return things, options
end

local OPTION_CHECKS = {
  why = function(v) return type(v) == 'string' and v ~= '', 'a sentence in quotes' end,
  except = function(v)
    if type(v) == 'string' then return true end
    if type(v) ~= 'table' or #v == 0 then return false, "a path or a list of paths" end
    for _, item in ipairs(v) do
      if type(item) ~= 'string' then return false, "a path or a list of paths" end
    end
    return true
  end,
  keep = function(v) return type(v) == 'boolean', 'true or false' end,
  empty = function(v) return type(v) == 'boolean', 'true or false' end,
}

--- The keys of a table as strings, sorted, and the complaint about the first that is not allowed.
-- @param what 'option', 'field' or 'limit', as messages name it
-- @return list of keys, or nil, the complaint and a hint
local function known_keys(given, allowed, what)
  local keys, is_allowed = {}, {}
  for _, name in ipairs(allowed) do is_allowed[name] = true end
  for key in pairs(given) do keys[#keys + 1] = tostring(key) end
  table.sort(keys)
  for _, key in ipairs(keys) do
    if not is_allowed[key] then
      local near = problem.nearest(key, allowed)
      local hint = near and ('did you mean `%s`?'):format(near)
        or #allowed > 0 and ('the %ss are: %s'):format(what, table.concat(allowed, ', '))
        or ('it takes no %ss'):format(what)
      return nil, ('unknown %s `%s`'):format(what, text.cut(key, 40)), hint
    end
  end
  return keys
end

--- Checks named options against those a word allows.
local function check_options(options, word)
  if next(options) == nil then return nil end
  local names, complaint, hint = known_keys(options, word.options or {}, 'option')
  if not names then return complaint, hint end
  for _, key in ipairs(names) do
    local ok, wanted = OPTION_CHECKS[key](options[key])
    if not ok then return ('`%s` must be %s'):format(key, wanted) end
  end
end

local function strings(args, word, noun, judge)
  local things, options = split(args)
  if #things == 0 then return complain(('needs %s'):format(noun), word.examples[1].text) end
  for _, thing in ipairs(things) do
    if thing == HOLE then
      return complain('an item of the list is nil, which would end it',
        'a variable or a fact that is not set is nil')
    elseif type(thing) ~= 'string' then
      return complain(('%s must be a string, got a %s'):format(noun, type(thing)))
    end
    if thing == '' then return complain(('%s must not be empty'):format(noun)) end
    if thing:find('\0', 1, true) and thing:sub(1, 1) ~= '@' then
      return complain(('%s holds a NUL byte'):format(noun))
    end
    local complaint, hint = judge(thing)
    if complaint then return complain(complaint, hint) end
  end
  local complaint, hint = check_options(options, word)
  if complaint then return complain(complaint, hint) end
  return things, options
end

--- What a dollar sign stands for must be plain: what is no variable to us would be a name that no
-- host has.
local function judge_variables(thing)
  local braced = thing:match '%${([%a_][%w_]*)}'
  if braced then
    return ('%s: a variable is written without braces'):format(text.visible(thing)),
      ('write $%s; `[$]` is a dollar sign'):format(braced)
  end
  for at, name in thing:gmatch '()%$([%a_][%w_]*)' do
    if at > 1 and name ~= 'UID' and name ~= 'USER' then
      return ('%s: $%s does not begin the path'):format(text.visible(thing), name),
        'only $UID and $USER may stand further on; `[$]` is a dollar sign'
    end
  end
end

local function judge_path(thing)
  -- Most are plain: of these nothing below can be true.
  if not thing:find '[^%w/._-]' and #thing < 4096 then return nil end
  if thing:find '^%s' or thing:find '%s$' then
    return ('%s begins or ends with a blank'):format(text.visible(thing)),
      '`[ ]` is a blank that is meant'
  elseif thing:find '^%a[%w+.-]*:/' or thing:find '^unix:' then
    return ('%s is no path'):format(text.visible(thing)), 'write the path alone'
  elseif thing:find('[[:', 1, true) then
    return ('%s: there are no classes of characters'):format(text.visible(thing)),
      'stars, `?`, and `[a-z]` for one of some characters'
  elseif thing:gsub('%[{%]', ''):find '{[^{}]*,[^{}]*}' then
    return ('%s: braces are no pattern'):format(text.visible(thing)),
      'write a line for each; `[{]` is a brace that is meant'
  end
  if thing:find('**', 1, true) then
    return ('`**` in %s: a star stays within one component'):format(text.visible(thing)),
      'name the folder itself; hide and protect cover everything below it'
  end
  if #thing >= 4096 then return 'a path is at most 4095 bytes long' end
  for part in (glob.is_glob(thing) and thing or ''):gmatch '[^/]+' do
    if #part > 255 then return 'a part of a pattern is at most 255 bytes long' end
  end
  if thing:sub(1, 1) == '~' and thing ~= '~' and thing:sub(2, 2) ~= '/' then
    return ('%s: only `~` alone stands for a home'):format(text.visible(thing))
  end
  return judge_variables(thing)
end

--- Paths or globs of files.
function M.paths(args, word)
  return strings(args, word, 'a path', judge_path)
end

--- Paths without globs (a grant names what it grants).
function M.exact_paths(args, word)
  return strings(args, word, 'a path', function(thing)
    if glob.is_glob(thing) then
      return ('%s: a grant names its path without stars'):format(text.visible(thing)),
        '`[*]` and `[[]` are these characters themselves'
    end
    return judge_path(thing)
  end)
end

--- Sockets: a path, a glob, a unix:// URL or an @abstract name.
function M.sockets(args, word)
  local things, options, complaint, hint = strings(args, word, 'a socket', function(thing)
    if thing:find('^%a[%w+.-]*://') and thing:sub(1, 7) ~= 'unix://' then
      return ('%s is not a Unix socket'):format(text.visible(thing)),
        "TCP endpoints are closed by net 'none'"
    end
    if thing == '@' then return 'an abstract name must not be empty' end
    if thing:sub(1, 1) ~= '@' then return judge_path((thing:gsub('^unix://', ''))) end
  end)
  if not things then return complain(complaint, hint) end
  local out = {}
  for i, thing in ipairs(things) do out[i] = (thing:gsub('^unix://', '')) end
  return out, options
end

local NAME = '^[%a_][%w_]*$'

--- Environment variables by exact name.
function M.variables(args, word)
  return strings(args, word, 'a variable', function(thing)
    if not thing:find(NAME) then
      return ('%s is not the name of a variable'):format(text.visible(thing)),
        thing:find('[*?[]') and 'a granting word takes exact names only' or nil
    end
  end)
end

--- Environment variables by name or glob.
function M.variable_globs(args, word)
  return strings(args, word, 'a variable', function(thing)
    if not thing:find('^[%w_*?%[%]!-]+$') then
      return ('%s is not the name of a variable'):format(text.visible(thing))
    end
  end)
end

--- Assignments: `env.set('NAME', 'value')` or `env.set { NAME = 'value' }`.
function M.assignments(args, word)
  local pairs_of, options = {}, {}
  local rest = args
  if type(args[1]) == 'string' then
    if type(args[2]) ~= 'string' then
      return complain('needs a name and a value', word.examples[1].text)
    end
    pairs_of[1] = { args[1], args[2] }
    rest = { table.unpack(args, 3) }
  end
  for _, arg in ipairs(rest) do
    if type(arg) ~= 'table' or #arg > 0 then
      return complain('needs a name and a value', word.examples[1].text)
    end
    local names = {}
    for name in pairs(arg) do names[#names + 1] = tostring(name) end
    table.sort(names)
    for _, name in ipairs(names) do
      if name == 'why' then
        options.why = arg[name]
      else
        pairs_of[#pairs_of + 1] = { name, arg[name] }
      end
    end
  end
  if #pairs_of == 0 then return complain('needs a name and a value', word.examples[1].text) end
  for _, item in ipairs(pairs_of) do
    local name, value = item[1], item[2]
    if not name:find(NAME) then
      return complain(('%s is not the name of a variable'):format(text.visible(name)))
    end
    if type(value) ~= 'string' then
      return complain(('the value of %s must be a string, got a %s'):format(name, type(value)))
    end
    if value:find('\0', 1, true) then
      return complain(('the value of %s holds a NUL byte'):format(name))
    end
  end
  local complaint, hint = check_options(options, word)
  if complaint then return complain(complaint, hint) end
  return pairs_of, options
end

--- Names of authorities, profiles or weaknesses: one plain word each.
function M.names(args, word)
  return strings(args, word, 'a name', function(thing)
    if not thing:find('^[%w_][%w_.-]*$') then
      return ('%s is not a name'):format(text.visible(thing))
    end
  end)
end

local ADDITIONS = { 'abstract', 'env', 'grants', 'owners', 'secrets', 'sockets', 'tcp' }

--- The additions to an authority record: `authority.add('docker', { sockets = { '/x' } })`.
function M.addition(args, word)
  local name, fields = args[1], args[2]
  if type(name) ~= 'string' or type(fields) ~= 'table' or args[3] ~= nil then
    return complain('needs a name and a table of fields', word.examples[1].text)
  end
  if not name:find('^[%l_][%w_]*$') then
    return complain(('%s is not a name'):format(text.visible(name)))
  end
  local complaint, hint = M.record_fields(fields, ADDITIONS)
  if complaint then return complain(complaint, hint) end
  return { name }, { fields = fields }
end

local FIELD_TYPES = {
  grants = 'string', sockets = 'list', abstract = 'list', owners = 'list', secrets = 'list',
  tcp = 'list', env = 'map', files = 'list', folders = 'list', content = 'map', only = 'map',
  first_absent = 'list', holds = 'string', why = 'string',
  name = 'string', needs_secrets = 'boolean', variable = 'string',
}

--- What a field of a record must hold, by its type.
local HOLDS = { list = 'a list of strings', map = "a table of names and strings: { NAME = '...' }" }

--- The types that `only` knows.
local ONLY = { 'absent', 'dir', 'file' }
local IS_ONLY = { absent = true, dir = true, file = true }

--- What `holds` knows.
local IS_HELD = { login = true }

--- Judges what one field holds beyond strings; a complaint and a hint, or nothing.
local function judge_item(key, index, item)
  if key == 'sockets' and item:byte(1) == 64 then
    return ('`sockets`: %s is an abstract name'):format(text.visible(item)),
      'it belongs into `abstract`, without the @'
  end
  if key == 'sockets' or key == 'files' or key == 'secrets' then return judge_path(item) end
  if key == 'owners' and item:find '[/*?[]' then
    return ('`owners`: %s is %s'):format(text.cut(item, 40), item:find '/' and 'a path'
      or 'a pattern'), 'an owner is the whole name of a program, without folders and stars'
  end
  if key == 'env' then
    local known, complaint = endpoints.find(item)
    if not known then return ('`env.%s`: %s'):format(text.cut(index, 40), complaint) end
  elseif key == 'only' and not IS_ONLY[item] then
    local near = problem.nearest(item, ONLY)
    return ("`only`: '%s' is none of %s"):format(text.cut(item, 40), table.concat(ONLY, ', ')),
      near and ("did you mean '%s'?"):format(near) or nil
  end
end

--- Checks the fields of a record; the complaint and a hint, or nothing when it is fine.
-- @param fields table a policy file gave
-- @param allowed list of field names
function M.record_fields(fields, allowed)
  local names, unknown, nearest = known_keys(fields, allowed, 'field')
  if not names then return unknown, nearest end
  for _, key in ipairs(names) do
    local value, kind = fields[key], FIELD_TYPES[key]
    if kind == 'list' or kind == 'map' then
      if type(value) ~= 'table' then return ('`%s` must be %s'):format(key, HOLDS[kind]) end
      if kind == 'list' and not is_sequence(value) then
        return ('an item of `%s` is nil, which would end the list'):format(key)
      end
      for index, item in pairs(value) do
        local good = type(item) == 'string' and item ~= ''
          and type(index) == (kind == 'list' and 'number' or 'string')
        if not good then return ('`%s` must be %s'):format(key, HOLDS[kind]) end
        local complaint, hint = judge_item(key, index, item)
        if complaint then return complaint, hint end
      end
    elseif type(value) ~= kind then
      return ('`%s` must be a %s'):format(key, kind)
    elseif key == 'holds' and not IS_HELD[value] then
      return ("`holds`: '%s' is not 'login'"):format(text.cut(value, 40))
    end
  end
end

--- One of the values of a scalar.
function M.value(args, word)
  local things, options = split(args)
  if #things ~= 1 or next(options) then
    return complain('takes one value: ' .. table.concat(word.values, ' or '))
  end
  for _, value in ipairs(word.values) do
    if things[1] == value then return things, {} end
  end
  local near = type(things[1]) == 'string' and problem.nearest(things[1], word.values)
  return complain(
    ('%s is not one of %s'):format(text.cut(tostring(things[1]), 40),
      table.concat(word.values, ', ')),
    near and ("did you mean '%s'?"):format(near) or nil)
end

local UNITS = {
  time = { s = 1, ms = 0.001, m = 60, h = 3600, [''] = 1 },
  size = { B = 1, K = 1024, M = 1024 ^ 2, G = 1024 ^ 3, T = 1024 ^ 4, [''] = 1 },
  count = { [''] = 1 },
}

--- A number with a unit ('60s', '2G', 512) in the base unit (seconds, bytes, pieces), or nil.
function M.quantity(value, kind)
  local number, unit = tostring(value):match('^(%d+%.?%d*)(%a*)$')
  local factor = number and UNITS[kind][unit]
  if not factor then return nil end
  local result = tonumber(number) * factor
  if result <= 0 or result > 2 ^ 53 then return nil end
  return kind == 'time' and result or math.tointeger(math.floor(result))
end

--- A table of limits: each key with its unit.
function M.limits(args, word)
  local things, options = split(args)
  if #things > 0 or not next(options) then
    return complain('takes a table of limits', word.examples[1].text)
  end
  local allowed, out = {}, {}
  for name in pairs(word.keys) do allowed[#allowed + 1] = name end
  table.sort(allowed)
  local names, complaint, hint = known_keys(options, allowed, 'limit')
  if not names then return complain(complaint, hint) end
  for _, key in ipairs(names) do
    local kind = word.keys[key]
    local value = M.quantity(options[key], kind)
    if not value then
      return complain(
        ('`%s` is not a %s: %s'):format(key, kind, text.cut(tostring(options[key]), 40)),
        kind == 'time' and "write it like '60s', '5m'"
        or kind == 'size' and "write it like '2G', '512M'" or nil)
    end
    local least = word.least[key]
    if least and value < least then
      return complain(('`%s` is too small: %s'):format(key, text.cut(tostring(options[key]), 40)),
        ('write %d or more; with less nothing can be started'):format(least))
    end
    out[#out + 1] = { key, value }
  end
  return out, {}
end

return M
