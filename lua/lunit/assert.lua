--- The `assert` of specs: the part of luassert that plain comparisons need, without spies.
--
-- A chain of names is read as luassert reads it: `is`, `are`, `was`, `has`, `does` say nothing,
-- `not` and `no` turn the assertion round, `message('...')` adds a sentence. Expected comes first:
-- `assert.equal(expected, got)`. A failed assertion raises a failure: a table with `text` (what to
-- print), `at` (file:line of the assertion) and a __tostring of both.
local show = require 'lunit.show'

local M = {}

local OWN = { [debug.getinfo(1, 'S').source] = true }

local Failure = {}
function Failure.__tostring(failure) return failure.at .. ': ' .. failure.text end

--- Names a source file of the runner, which messages and traces leave out.
function M.own(source) OWN[source] = true end

--- Whether a source file is the runner's own.
function M.is_own(source) return OWN[source] or false end

--- Where the spec (or what it called) stands: the first Lua frame outside the runner.
-- @param level where to begin, as for debug.getinfo
-- @return 'file:line'
function M.place(level)
  local info = debug.getinfo(level, 'Sl')
  while info do
    if info.what ~= 'C' and not OWN[info.source] then
      return ('%s:%d'):format(info.short_src, info.currentline)
    end
    level = level + 1
    info = debug.getinfo(level, 'Sl')
  end
  return '?:0'
end

--- Whether a raised value is a failed assertion.
function M.is_failure(v) return getmetatable(v) == Failure end

local function fail(text)
  error(setmetatable({ text = text, at = M.place(3) }, Failure), 0)
end

local function has_tostring(v)
  return type(v) == 'string' or (getmetatable(v) or {}).__tostring ~= nil
end

local function is_callable(v)
  return type(v) == 'function' or (getmetatable(v) or {}).__call ~= nil
end

local function deep_equal(a, b, pairs_open, is_top)
  if type(a) ~= 'table' or type(b) ~= 'table' then return a == b end
  local meta = getmetatable(a)
  if rawequal(a, b) then return true end
  if not is_top and type(meta) == 'table' and meta == getmetatable(b) and meta.__eq then
    return a == b
  end
  -- A pair that is being compared further up is taken as equal: the difference shows elsewhere.
  pairs_open[a] = pairs_open[a] or {}
  if pairs_open[a][b] then return true end
  pairs_open[a][b] = true
  for key, value in next, a do
    if b[key] == nil or not deep_equal(value, b[key], pairs_open) then return false end
  end
  for key in next, b do
    if a[key] == nil then return false end
  end
  return true
end

--- Runs what must raise; the position that `error` puts before a message is taken off.
local function caught(f, name)
  if not is_callable(f) then fail(("%s needs a function, got a %s"):format(name, type(f))) end
  local ok, err = pcall(f)
  if type(err) == 'string' then err = err:gsub('^.-:%d+: ', '', 1) end
  return ok, err
end

local function need(args, least, name)
  if args.n < least then fail(('%s needs %d values, got %d'):format(name, least, args.n)) end
end

--- Takes a message out of optional arguments (a start position, `plain`, a message) from place 3.
local function trailing_message(args)
  for i = 3, args.n do
    local v = args[i]
    if v and type(v) ~= 'boolean' and not tonumber(v) then
      table.remove(args, i)
      return v
    end
  end
  return nil
end

local function found(text, pattern, init, plain)
  if plain then
    local is_there = text:find(pattern, init, true) ~= nil
    return is_there, is_there and { pattern } or {}
  end
  local captures = { text:match(pattern, init) }
  return captures[1] ~= nil, captures
end

--- What to print when two values had to be equal, made only when it is needed.
local function comparison(got, wanted)
  return function() return show.comparison(got, wanted) end
end

--- What to print when a value had to be of a kind that words describe.
local function against(got, wanted)
  return function() return 'got:    ' .. show.text(got) .. '\nwanted: ' .. wanted end
end

-- Each check gets the arguments and returns: whether it holds, what to print when that is not as
-- wished (a text or a function that makes it), the caller's message, and (a list) what the
-- assertion returns in place of its arguments.
local CHECKS = {}

function CHECKS.equal(args)
  need(args, 2, 'equal')
  return args[1] == args[2], comparison(args[2], args[1]), args[3]
end

function CHECKS.same(args)
  need(args, 2, 'same')
  return deep_equal(args[1], args[2], {}, true), comparison(args[2], args[1]), args[3]
end

function CHECKS.near(args)
  need(args, 3, 'near')
  local wanted, got, by = tonumber(args[1]), tonumber(args[2]), tonumber(args[3])
  if not (wanted and got and by) then fail('near needs three numbers') end
  return got >= wanted - by and got <= wanted + by,
    ('got:    %s\nwanted: %s +/- %s'):format(got, wanted, by), args[4]
end

function CHECKS.truthy(args)
  need(args, 1, 'truthy')
  return args[1] and true or false, against(args[1], 'a true value'), args[2]
end

function CHECKS.falsy(args)
  need(args, 1, 'falsy')
  return not args[1], against(args[1], 'false or nil'), args[2]
end

function CHECKS.matches(args)
  need(args, 2, 'matches')
  local message = trailing_message(args)
  local pattern, got = args[1], args[2]
  if has_tostring(got) or type(got) == 'number' then got = tostring(got) end
  if type(pattern) ~= 'string' then fail('matches needs a pattern, got a ' .. type(pattern)) end
  if type(got) ~= 'string' then fail('matches needs a string, got a ' .. type(got)) end
  local ok, captures = found(got, pattern, args[3], args[4])
  return ok, against(got, 'a match of ' .. show.text(pattern)), message, captures
end

function CHECKS.error(args)
  local wanted = args[2]
  local ok, err = caught(args[1], 'has_error')
  if ok then
    return false, 'got:    no error\nwanted: ' ..
      (wanted == nil and 'an error' or 'the error ' .. show.text(wanted)), args[3], { nil }
  end
  if wanted == nil then return true, against(err, 'no error'), args[3], { err } end
  if type(wanted) == 'string' and has_tostring(err) then err = tostring(err) end
  if type(wanted) == 'number' and type(err) == 'string' then
    wanted, err = tostring(wanted), tostring(tonumber(err))
  end
  return deep_equal(wanted, err, {}, true), comparison(err, wanted), args[3], { err }
end

function CHECKS.error_matches(args)
  need(args, 2, 'error_matches')
  local ok, err = caught(args[1], 'error_matches')
  local message = trailing_message(args)
  local pattern = args[2]
  local wish = 'an error that matches ' .. show.text(pattern)
  if ok then return false, 'got:    no error\nwanted: ' .. wish, message, { nil } end
  if has_tostring(err) or type(err) == 'number' or type(err) == 'boolean' then
    err = tostring(err)
  end
  if type(err) ~= 'string' then return false, against(err, wish), message, { err } end
  local is_there, captures = found(err, pattern, args[3], args[4])
  return is_there, against(err, wish), message, is_there and captures or { err }
end

function CHECKS.unique(args)
  local deep = args[2] == true or args[3] == true
  local message = args[2]
  if type(message) == 'boolean' or (message == nil and args.n > 2) then message = args[3] end
  for k1, v1 in pairs(args[1]) do
    for k2, v2 in pairs(args[1]) do
      if k1 ~= k2 and (v1 == v2 or deep and deep_equal(v1, v2, {}, true)) then
        return false, against(args[1], 'no value twice'), message
      end
    end
  end
  return true, against(args[1], 'a value twice'), message
end

CHECKS['true'] = function(args)
  return args[1] == true, comparison(args[1], true), args[2]
end

CHECKS['false'] = function(args)
  return args[1] == false, comparison(args[1], false), args[2]
end

CHECKS['nil'] = function(args)
  return args.n > 0 and args[1] == nil, comparison(args[1], nil), args[2]
end

for name in ('boolean number string table function userdata thread'):gmatch('%a+') do
  CHECKS[name] = function(args)
    return args.n > 0 and type(args[1]) == name, against(args[1], 'a ' .. name), args[2]
  end
end

for alias, name in pairs {
  equals = 'equal', match = 'matches', errors = 'error', error_match = 'error_matches',
  matches_error = 'error_matches', match_error = 'error_matches',
} do
  CHECKS[alias] = CHECKS[name]
end

local SILENT = { is = true, are = true, was = true, has = true, does = true }
local TURNS = { ['not'] = true, no = true }

--- Reads the words of a chain: the check, whether it is turned round, whether a message follows.
local function read_chain(tokens)
  local check, turned, wants_message
  local i = 1
  while i <= #tokens do
    local token, double = tokens[i], tokens[i] .. '_' .. (tokens[i + 1] or '')
    if CHECKS[double] then
      check, i = CHECKS[double], i + 1
    elseif CHECKS[token] then
      check = CHECKS[token]
    elseif TURNS[token] then
      turned = not turned
    elseif token == 'message' then
      wants_message = true
    elseif not SILENT[token] then
      error(("lunit: unknown assertion '%s'"):format(table.concat(tokens, '_')), 0)
    end
    i = i + 1
  end
  return check, turned, wants_message
end

local Chain = {}

function Chain.__index(chain, key)
  for token in key:lower():gmatch('[^_]+') do table.insert(rawget(chain, 'tokens'), token) end
  return chain
end

function Chain.__call(chain, ...)
  local check, turned, wants_message = read_chain(rawget(chain, 'tokens'))
  if not check then
    if wants_message then rawset(chain, 'note', (...)) end
    rawset(chain, 'tokens', turned and { 'not' } or {})
    return chain
  end
  local ok, text, message, results = check(table.pack(...))
  message = message == nil and rawget(chain, 'note') or message
  if (not ok) ~= (turned or false) then
    text = type(text) == 'function' and text() or text
    if turned then text = 'this must not hold:\n' .. text end
    if message ~= nil then
      text = (has_tostring(message) and tostring(message) or show.text(message)) .. '\n' .. text
    end
    fail(text)
  end
  if results then return table.unpack(results, 1, math.max(#results, 1)) end
  return ...
end

local Assert = {}

function Assert.__call(_, ok, message, ...)
  if ok then return ok, message, ... end
  if message == nil then message = 'assertion failed!' end
  return fail(has_tostring(message) and tostring(message) or show.text(message))
end

function Assert.__index(_, key)
  local chain = setmetatable({ tokens = {} }, Chain)
  return chain[key]
end

--- What specs see as `assert`: callable like Lua's own, and the start of every chain.
M.assert = setmetatable({}, Assert)

return M
