-- What the configs of a repository have git execute: programs, hooks and further configs in the
-- tree. They are protected like the config, for git outside runs them without being asked.

local glob = require 'confine.values.glob'
local path = require 'confine.values.path'

local M = {}

--- Keys (without subsection) whose value names a path, by what it is relative to.
local PATHS = {
  ['core.hookspath'] = 'top', ['init.templatedir'] = 'top', ['include.path'] = 'config',
  ['includeif.path'] = 'config',
}

--- Keys whose value is a command line; of a section with `.*` each key may be one.
local COMMANDS = {}
for _, key in ipairs { 'core.fsmonitor', 'core.sshcommand', 'core.editor', 'core.pager',
  'core.askpass', 'core.gitproxy', 'core.alternaterefscommand', 'sequence.editor', 'filter.clean',
  'filter.smudge', 'filter.process', 'diff.command', 'diff.textconv', 'diff.external',
  'merge.driver', 'gpg.program', 'gpg.defaultkeycommand', 'credential.helper', 'pager.*',
  'interactive.difffilter', 'mergetool.cmd', 'mergetool.path', 'difftool.cmd', 'difftool.path',
  'trailer.cmd', 'trailer.command', 'uploadpack.packobjectshook', 'sendemail.*',
  'remote.uploadpack', 'remote.receivepack', 'remote.vcs', 'tar.command', 'gc.recentobjectshook',
  'browser.cmd', 'browser.path', 'man.cmd', 'man.path', 'guitool.cmd', 'web.browser',
  'imap.tunnel', 'instaweb.httpd', 'submodule.update' } do
  COMMANDS[key] = true
end

--- Bounds: bytes of one value and folders that it changes into, since what is done with a command
-- line takes the square of them; bytes of all values, and names. Configs that people write stay far
-- below.
local LONGEST, FOLDERS = 4096, 32
M.MOST = { bytes = 128 * 1024, names = 2048 }

local ESCAPED = { n = '\n', t = '\t', b = '\b' }

--- What adds nothing but itself to a value, in quotes and outside.
local PLAIN = { [true] = '^[^"\\\n]+', [false] = '^[^%s"\\#;]+' }

--- A value and what ends it: quotes, escapes, continued lines and comments as git-config(1) says.
-- Taken in runs, and blanks put off in a list: the command writes such files, of any length.
-- @param at where it begins
-- @return the value, and where the rest begins
local function value_at(text, at)
  local out, blanks, is_quoted = {}, {}, false
  local function add(part)
    if #out > 0 then table.move(blanks, 1, #blanks, #out + 1, out) end
    if #blanks > 0 then blanks = {} end
    out[#out + 1] = part
  end
  while at <= #text do
    local run, c = text:match(PLAIN[is_quoted], at), text:sub(at, at)
    local continued = c == '\\' and text:match('^\r?\n()', at + 1)
    if c == '\n' then break end
    if run then
      add(run)
      at = at + #run - 1
    elseif continued then
      at = continued - 1
    elseif c == '\\' then
      at = at + 1
      local escaped = text:sub(at, at)
      add(ESCAPED[escaped] or escaped)
    elseif c == '"' then
      is_quoted = not is_quoted
    elseif c == '#' or c == ';' then
      return table.concat(out), text:find('\n', at, true) or #text + 1
    else
      blanks[#blanks + 1] = text:match('^[^%S\n]+', at)
      at = at + #blanks[#blanks] - 1
    end
    at = at + 1
  end
  return table.concat(out), at
end

--- Keys that say where a repository, or the work tree of one, lies.
local PLACES = { ['remote.url'] = true, ['remote.pushurl'] = true, ['core.worktree'] = true }

--- Is the value of a key a command line?
local function is_command(key)
  return COMMANDS[key] or COMMANDS[key:match '^[^.]*' .. '.*'] or false
end

local function matters(key)
  return PATHS[key] or PLACES[key] or is_command(key) or key:find '^alias%.'
end

--- The entries of a config file that matter here: { key, value }, the key in lower case and
-- without its subsection. What cannot be read is passed over.
function M.entries(text)
  local out, section, at = {}, '', 1
  text = text:gsub('^\239\187\191', '')
  while at <= #text do
    at = text:match('^[%s\r]*()', at)
    local name, rest = text:match('^%[%s*([%w.-]+)%s*"[^\n]-[^\\\n]"%s*%]()', at)
    if not name then name, rest = text:match('^%[%s*([%w.-]+)[^%]\n]*%]()', at) end
    local key, value
    if name then
      section, at = name:lower():match '^[^.]*', rest
    else
      key, rest = text:match('^(%a[%w-]*)[ \t]*=()', at)
      if key then
        key = section .. '.' .. key:lower()
        value, at = value_at(text, rest)
        if matters(key) then out[#out + 1] = { key = key, value = value } end
      else
        at = text:find('\n', at, true) or #text + 1
      end
    end
  end
  return out
end

local function entries_of(config) return config.entries or M.entries(config.text) end

--- A word of a command line with the value of the variable that it begins with; empty where that
-- is not known.
local function without_variable(name, base, facts)
  local variable, rest = name:match '^%${([%a_][%w_]*)}(/.*)$'
  if not variable then variable, rest = name:match '^%$([%a_][%w_]*)(/.*)$' end
  if not variable then return name end
  local value = variable == 'HOME' and facts.home or variable == 'PWD' and base
    or (facts.env or {})[variable]
  return value and value ~= '' and value .. rest or ''
end

--- A path of a config as an absolute one, in which `..` stays; nil for what is none.
local function absolute(name, base, facts)
  if name:sub(1, 2) == '~/' then name = (facts.home or '/') .. name:sub(2) end
  if name == '' or name:find '%c' then return nil end
  return path.tidy(name:sub(1, 1) == '/' and name or path.join(base, name))
end

--- The further configs that one includes, whatever the condition.
-- @param config { text, dir = the folder that it lies in, entries = of M.entries, optional }
-- @return list of absolute paths, in which `..` stays
function M.includes(config, facts)
  local out = {}
  for _, item in ipairs(entries_of(config)) do
    if PATHS[item.key] == 'config' then out[#out + 1] = absolute(item.value, config.dir, facts) end
  end
  return out
end

--- The paths of this host that a config names as remotes.
-- @return list of absolute paths, in which `..` stays
function M.remotes(config, facts)
  local out = {}
  for _, item in ipairs(entries_of(config)) do
    local is_remote = item.key == 'remote.url' or item.key == 'remote.pushurl'
    local name = is_remote and item.value:gsub('^file://', '')
    -- What has a colon before its first slash is another host's.
    if name and not name:find '^[^/]*:' then
      out[#out + 1] = absolute(name, config.top, facts)
    end
  end
  return out
end

--- The work tree that the config of a submodule names; nil where it names none.
-- @param config { text, dir }
-- @return absolute path, in which `..` stays
function M.work_tree(config)
  for _, item in ipairs(entries_of(config)) do
    if item.key == 'core.worktree' then return absolute(item.value, config.dir, {}) end
  end
end

--- A command line without what only a shell could tell: what it puts in is taken for the folder in
-- which it runs, as that of `git rev-parse --show-toplevel` is.
local function without_substitutions(line)
  line = line:gsub('%$%b()', '.'):gsub('`[^`]*`', '.')
  -- Behind the last brace none is closed, and each one there would be looked for to the end.
  local closed, rest = line:match '^(.*})(.*)$'
  return closed and closed:gsub('%${[%a_][%w_]*[^%w_}][^}]*}', '.') .. rest or line
end

--- The words of a command line that may be paths, each with the folders that it may be relative to.
-- @param add function(word, folder, is_word)
-- @return false where it changes into more folders than are followed
local function words_of(line, top, add)
  local folders = { top }
  line = without_substitutions(line:gsub('^!', ''))
  for folder in line:gmatch '%f[%w]cd%s+([^%s;|&()<>]+)' do
    folder = folder:gsub('["\']', '')
    if folder:sub(1, 1) ~= '/' then folders[#folders + 1] = path.join(top, folder) end
  end
  if #folders > FOLDERS then return false end
  for quoted in line:gmatch '"([^"]*)%f["]' do
    if quoted:find('/', 1, true) then add(quoted, top) end
  end
  for quoted in line:gmatch "'([^']*)%f[']" do
    if quoted:find('/', 1, true) then add(quoted, top) end
  end
  line = line:gsub('["\']', '')
  for module in line:gmatch '%s%-m%s+([%w_.]+)' do
    add(module:gsub('%.', '/') .. '.py', top, true)
  end
  for word in line:gmatch '[^%s;|&()<>]+' do
    local value = word:match '=(.+)$'
    for _, folder in ipairs(folders) do
      add(word, folder, not word:find('/', 1, true))
      if value then add(value, folder, not value:find('/', 1, true)) end
    end
  end
  return true
end

--- The paths that a config names, as it names them.
-- @param left { bytes, names } that may still be taken, as of M.MOST, which becomes less; nil for
--   no bound
-- @return list of { where = absolute path, in which `..` stays; is_word = it may be no path: only a
--   file that is there is meant }; or nil and of what there is too much
function M.named(config, facts, left)
  local out, most = {}, left and left.names or math.maxinteger
  local function add(name, base, is_word)
    local where = #out <= most and absolute(name, base, facts)
    if where then out[#out + 1] = { where = where, is_word = is_word } end
  end
  for _, item in ipairs(entries_of(config)) do
    local kind, is_line = PATHS[item.key], is_command(item.key)
    is_line = is_line or (item.key:find '^alias%.' and item.value:sub(1, 1) == '!')
    if left and is_line and #item.value > LONGEST then
      return nil, ('its %s has more than %d bytes'):format(item.key, LONGEST)
    end
    if left and is_line then left.bytes = left.bytes - #item.value end
    if left and left.bytes < 0 then
      return nil, ('the programs in it and in the configs before it have more than %d bytes')
        :format(M.MOST.bytes)
    end
    local is_followed = true
    if kind then
      add(item.value, kind == 'config' and config.dir or config.top)
    elseif is_line then
      -- The program, or the script it is given. A script may stand there without a slash
      -- (`sh clean.sh`); most other such words are no files.
      is_followed = words_of(item.value, config.top, function(word, folder, is_word)
        if not is_word then
          add(without_variable(word, folder, facts), folder)
        elseif word:find('/', 1, true)
          or (is_command(item.key) and word:find '^[%w_][%w_.-]*%.[%w]+$') then
          add(word, folder, true)
        end
      end)
    end
    if left and not is_followed then
      return nil, ('its %s changes into more than %d folders'):format(item.key, FOLDERS)
    end
    if #out > most then
      return nil, ('it and the configs before it name more than %d paths'):format(M.MOST.names)
    end
  end
  if left then left.names = left.names - #out end
  return out
end

--- The names behind a `..`, which only the host can tell, as things of a policy.
-- @param facts { git_configs = list of { text, dir, top = the folder in which git runs what it
--   names, named = of M.named, optional }, root, home }
function M.climbs(facts)
  local out = {}
  for _, config in ipairs(facts.git_configs or {}) do
    for _, item in ipairs(config.named or M.named(config, facts)) do
      if path.climb(item.where) then out[#out + 1] = glob.literal(item.where) end
    end
  end
  return out
end

--- A glob for just this path, that means nothing while it is absent.
local function if_there(where)
  return glob.literal(where:sub(1, -2)) .. '[' .. where:sub(-1) .. ']'
end

--- Does a path lie in the writable root, or in another folder that is granted?
local function is_written(where, facts)
  if path.below(where, facts.root) then return true end
  for _, folder in ipairs(facts.git_written or {}) do
    if path.below(where, folder) then return true end
  end
  return false
end

--- The paths in what a command writes that a config names.
-- @param config { text, dir, top }
-- @param facts { root, home, git_written = granted folders beyond the root, optional; looks = of
--   the folders that M.climbs led to, optional }
-- @return list of things of a policy, each once; and the set of those that must be
--   files
function M.names(config, facts)
  local out, seen, files = {}, {}, {}
  for _, item in ipairs(config.named or M.named(config, facts)) do
    local where = item.where
    local up, rest = path.climb(where)
    local look = up and ((facts.looks or {})[glob.literal(up)] or {})[1]
    where = path.normal(look and look.path .. rest or where)
    local thing = item.is_word and if_there(where) or glob.literal(where)
    if is_written(where, facts) and not seen[thing] then
      seen[thing] = true
      out[#out + 1] = thing
      files[thing] = item.is_word and where:match '[^/]*$' or nil
    end
  end
  return out, files
end

--- The refusals of what the configs name.
-- @param facts { git_configs, root, home }
function M.refusals(facts)
  local out = {}
  for _, config in ipairs(facts.git_configs or {}) do
    local things, files = M.names(config, facts)
    for _, thing in ipairs(things) do
      out[#out + 1] = { noun = 'file', verb = 'protect', thing = thing, from = config.name,
        only = files[thing] and { [files[thing]] = 'file' }, why = 'git outside executes it',
        final = false, except = {} }
    end
  end
  return out
end

return M
