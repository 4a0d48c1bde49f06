--- Finds the reader of an endpoint kind by its file name, so that a new kind is one new file.
--
-- A kind is `return { doc = STRING, examples = LIST, read = FUNCTION }` in endpoints/KIND.lua;
-- a `-` in the name is a `_` in the file name. `read(value, facts)` is pure:
--   value   string: the bytes of the variable
--   facts   table: uid (number), user, home, runtime_dir, cwd (strings), env (table by name); each
--           may be absent, and what needs it is then a problem
--   result  list of endpoints, empty where the value names nothing by itself, each with one of
--           path (absolute), glob (of paths), abstract (without the leading NUL), abstract_glob,
--           tcp ('host:port'), ssh ('[user@]host[:port]'), vsock ('cid:port'), fd (number) or
--           exec (a program that is started to connect);
--           a second result is the problem with the entries that were left out
--   or nil and the problem: a sentence without the variable's name, the value escaped and cut.
-- An example is { value =, facts = or nil, result = or nil, problem = or nil }.
local M = {}

--- The module of a kind.
-- @param kind string as authority records write it, e.g. 'dbus-address'
-- @return the kind's table, or nil and the problem when there is no such kind
function M.find(kind)
  if type(kind) ~= 'string' or not kind:find('^%l[%l%d-]*$') then
    return nil, 'not the name of an endpoint kind'
  end
  local name = 'confine.endpoints.' .. kind:gsub('-', '_')
  local known = package.loaded[name]
  if known then return known end
  for _, searcher in ipairs(package.searchers) do
    if type((searcher(name))) == 'function' then return (require(name)) end
  end
  return nil, ('there is no endpoint kind %q'):format(kind)
end

--- Reads a value as a kind.
-- @return as the kind's `read`; nil and a problem also when there is no such kind
function M.read(kind, value, facts)
  local found, problem = M.find(kind)
  if not found then return nil, problem end
  return found.read(value, facts)
end

return M
