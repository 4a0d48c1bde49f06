--- Reads endpoints out of variables by their kind, and out of the command lines of daemons.
--
-- The reader of a kind is found by its file name, so that a new kind is one new file.
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

--- Options by which daemons are told where to listen, with the kind of their value. A word with
-- `unix://` in it is read as a URL whatever stands before it.
local OPTIONS = {
  ['ssh-agent'] = { ['-a'] = 'path' },
  ssh = { ['-S'] = 'path' },
  dockerd = { ['-H'] = 'url', ['--host'] = 'url' },
  containerd = { ['-a'] = 'path', ['--address'] = 'path' },
  buildkitd = { ['--addr'] = 'url' },
  ['dbus-daemon'] = { ['--address'] = 'dbus-address' },
  weston = { ['-S'] = 'wayland', ['--socket'] = 'wayland' },
  tmux = { ['-S'] = 'path' },
  emacs = { ['--daemon'] = 'emacs', ['--fg-daemon'] = 'emacs', ['--bg-daemon'] = 'emacs' },
  nvim = { ['--listen'] = 'url' },
}

--- Programs whose word `:NUMBER` is the display that they serve.
local X_SERVERS = { Xorg = true, X = true, Xvfb = true, Xephyr = true, Xnest = true, Xvnc = true,
  Xtigervnc = true, Xtightvnc = true, Xwayland = true }

--- The kind and the value of the option that `word` is or begins with.
local function option(options, word, following)
  local long, value = word:match('^(%-%-[%w-]+)=(.*)$')
  if long then return options[long], value end
  if options[word] then return options[word], following end
  -- -aPATH, -Da PATH and -H=URL, as getopt(3) and its kin read them.
  for name, kind in pairs(word:find('^%-%a') and options or {}) do
    local attached = #name == 2 and word:match('^%-%a-' .. name:sub(2) .. '=?(.*)$')
    if attached then return kind, attached ~= '' and attached or following end
  end
end

--- The endpoints that a daemon's command line names: where the owner of a socket cannot be seen
-- (ssh-agent keeps others out of its /proc), the command line still can.
-- @param program base name of the executable or of the process
-- @param words list of strings: the command line, the program first
-- @param facts as `read` takes them
-- @return list of endpoints; what is not understood is left out
function M.of_command(program, words, facts)
  local list, options, at = {}, OPTIONS[program] or {}, 2
  while at <= #words do
    local word, following = words[at], words[at + 1]
    local kind, value = option(options, word, following)
    if kind and value == following then at = at + 1 end
    local url = word:match('unix://.+$')
    if url then kind, value = 'url', url end
    if X_SERVERS[program] and word:find('^:%d+$') then kind, value = 'display', word end
    for _, found in ipairs(kind and value and M.read(kind, value, facts) or {}) do
      list[#list + 1] = found
    end
    at = at + 1
  end
  return list
end

return M
