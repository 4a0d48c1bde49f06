--- What all endpoint readers share: the limits of a value, how it is shown, and paths in it.
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local text = require 'confine.values.text'

local M = {}

--- Longest value that is read, in bytes. The kernel itself takes 128 KiB for one variable.
M.MAX_VALUE = 65536
--- Most entries that one value may name.
M.MAX_ENTRIES = 256
--- Longest path, in bytes, as Linux counts it (PATH_MAX without the closing NUL).
M.MAX_PATH = 4095

local SHOWN = 60

--- A value as a message may carry it: quoted, visible, one line, cut after 60 bytes.
-- A `user:password` before an `@` is left out.
-- @param value string (any bytes)
-- @return string
function M.shown(value)
  local start = value:sub(1, 512):gsub('([^/%s]*)@', function(head)
    if head:find(':.') then return '...@' end
  end)
  local cut = #value > 512 or #start > SHOWN
  start = text.visible(start:sub(1, SHOWN):gsub('[\\"]', '\\%0'))
  if not cut then return '"' .. start .. '"' end
  return ('"%s..." (%d bytes)'):format(start, #value)
end

--- Judges a value before anything is read from it.
-- @param value string, any bytes
-- @return true, or nil and the problem (too long, or control characters)
function M.check(value)
  if type(value) ~= 'string' then return nil, 'not a string but a ' .. type(value) end
  if #value > M.MAX_VALUE then
    return nil, ('longer than %d bytes: %s'):format(M.MAX_VALUE, M.shown(value))
  end
  if value:find('[%z\1-\31\127]') then
    return nil, 'holds control characters: ' .. M.shown(value)
  end
  return true
end

--- Makes the `read` of an endpoint kind out of a function that sees clean, non-empty values only.
-- @param parse function(value, facts) -> list of endpoints [, problem] | nil, problem
-- @return function(value, facts|nil) with the same results; an empty value names nothing: {}
function M.reader(parse)
  return function(value, facts)
    local fine, problem = M.check(value)
    if not fine then return nil, problem end
    if value == '' then return {} end
    return parse(value, facts or {})
  end
end

--- The runtime folder, which is /run/user/UID where the facts name none.
-- @param facts table with runtime_dir or uid
-- @return string, or nil when neither is known
function M.runtime_dir(facts)
  if facts.runtime_dir and facts.runtime_dir ~= '' then return facts.runtime_dir end
  return facts.uid and ('/run/user/%d'):format(facts.uid) or nil
end

--- Reads a path: absolute, below `~`, or relative to the current folder where facts.cwd names it.
-- @param said string without control characters
-- @param facts table with home and cwd (each may be absent)
-- @return { path = ABSOLUTE }, or nil and the problem
function M.path(said, facts)
  local where = said
  if where:find('^~/') and facts.home then where = facts.home .. where:sub(2) end
  if where:sub(1, 1) ~= '/' then
    if said == '' then return nil, 'names no path' end
    if not facts.cwd then return nil, 'not an absolute path: ' .. M.shown(said) end
    where = facts.cwd .. '/' .. where
  end
  if #where > M.MAX_PATH then
    return nil, ('a path longer than %d bytes: %s'):format(M.MAX_PATH, M.shown(said))
  end
  -- `..` stays, since what it means depends on symbolic links.
  return { path = path.tidy(where) }
end

--- Reads a socket address as most programs write it: a path, or `@name` for an abstract name.
-- @return { path = } or { abstract = }, or nil and the problem
function M.socket(said, facts)
  if said:sub(1, 1) == '@' then
    if #said == 1 then return nil, 'names no abstract socket: ' .. M.shown(said) end
    return { abstract = said:sub(2) }
  end
  return M.path(said, facts)
end

--- Undoes %XX escapes.
-- @param said string
-- @return string, or nil and the problem where a `%` is followed by no two hexadecimal digits
function M.unescape(said)
  if said:gsub('%%%x%x', ''):find('%', 1, true) then
    return nil, 'a broken %-escape: ' .. M.shown(said)
  end
  return (said:gsub('%%(%x%x)', function(hex) return string.char(tonumber(hex, 16)) end))
end

--- Reads `host:port`, `[v6]:port`, `user@host:port` and `host`; what follows a `/` is left out.
-- @param said string
-- @param port number used where the text names none; nil: then it is a problem
-- @return 'host:port' (a v6 address in brackets; an empty host is localhost), or nil, problem
function M.host_port(said, port)
  local rest = said:gsub('[/?#].*$', ''):gsub('^.*@', '')
  local host, named = rest:match('^(%[[%x:.%%%w]+%]):?(%d*)$')
  if not host then host, named = rest:match('^([%w._-]*):?(%d*)$') end
  if not host then return nil, 'not a host and a port: ' .. M.shown(said) end
  if host == '' then host = 'localhost' end
  local number = named ~= '' and tonumber(named) or port
  if not number or number < 1 or number > 65535 then
    return nil, 'no port from 1 to 65535: ' .. M.shown(said)
  end
  return ('%s:%d'):format(host, number)
end

--- Splits a list value.
-- @param said string
-- @param separators the inside of a pattern's [ ]: the bytes between entries
-- @return list of non-empty strings, or nil and the problem (more than MAX_ENTRIES)
function M.split(said, separators)
  local list = {}
  for entry in said:gmatch('[^' .. separators .. ']+') do
    if #list == M.MAX_ENTRIES then
      return nil, ('more than %d entries: %s'):format(M.MAX_ENTRIES, M.shown(said))
    end
    list[#list + 1] = entry
  end
  return list
end

--- Reads each entry of a list value.
-- @param entries list of strings
-- @param read_one function(entry, facts) -> endpoint, or a list of them | nil, problem
-- @return list of endpoints in order, and the first problem when there was one; nil and that
--   problem when no entry was understood
function M.each(entries, read_one, facts)
  local list, first = {}, nil
  for _, entry in ipairs(entries) do
    local found, problem = read_one(entry, facts)
    first = first or problem
    if found and #found > 0 then
      table.move(found, 1, #found, #list + 1, list)
    elseif found and next(found) then
      list[#list + 1] = found
    end
  end
  if #list == 0 and first then return nil, first end
  return list, first
end

--- Writes a path so that a glob made with it means just that path.
M.literal = glob.literal

return M
