--- The deployment command: assembles a site's layer of discovered endpoints and notices its drift.
--
-- lua5.4 scripts/site.lua WORD [OPTION...], or `confine-lua site WORD [OPTION...]`.
local M = {}

--- The folder above this file's, with a slash at its end.
local ROOT = (debug.getinfo(1, 'S').source:match('^@(.*/)') or './') .. '../'
local is_program = arg and arg[0] and debug.getinfo(1, 'S').source == '@' .. arg[0]

--- Where stock Lua finds the library, luaposix and confine.core: in a checkout or an installation.
local function use_own_folders()
  local path, cpath = {}, {}
  for _, entry in ipairs { '?.lua', 'lua/?.lua', 'lua/?/init.lua' } do
    path[#path + 1] = ROOT .. entry
  end
  for _, dir in ipairs { 'build/lib/', 'build/luaposix/lib/', '../../lib/confine-lua/' } do
    cpath[#cpath + 1] = ROOT .. dir .. '?.so'
  end
  for _, dir in ipairs { 'build/luaposix/share/', '../../lib/confine-lua/' } do
    path[#path + 1] = ('%s%s?.lua;%s%s?/init.lua'):format(ROOT, dir, ROOT, dir)
  end
  package.path = table.concat(path, ';') .. ';' .. package.path
  package.cpath = table.concat(cpath, ';') .. ';' .. package.cpath
end

if is_program then use_own_folders() end

local collection = require 'scripts.found'
local layer = require 'scripts.layer'
local text = require 'confine.values.text'

local NAME = '50-discovered.lua'
local SITE_DIR = '/etc/confine-lua/site.d'
local MAX_LAYER = 16 * 1024 * 1024

local USAGE = [[
usage: confine-lua site WORD [OPTION...]

Finds the sockets and credential files of this machine that no record names, and keeps
them in a policy layer, /etc/confine-lua/site.d/50-discovered.lua.

  init           write the layer
  check          exit 1 when it differs from what is found now, and show the difference; or when a
                 source could not be read, or no run would take the layer
  diff           show the difference
  refresh        write the layer anew when it differs

  --dir DIR      keep the layer in DIR
  --user         keep it in the caller's own policy, $XDG_CONFIG_HOME/confine-lua/user.d
  --verbose      also list what the records name already, and what is gone at the next login
  --help         this text

Exit status: 0 done, nothing differs; 1 something differs (check), or could not be read or
understood; 2 it could not be done.
]]

--- Reads the command line.
-- @return { word, dir, user, verbose }, or nil and the problem
local function options_of(args)
  local options, at = {}, 1
  while at <= #args do
    local said = args[at]
    local dir = said:match('^%-%-dir=(.*)$')
    if said == '--help' or said == '-h' then
      options.word = 'help'
      return options
    elseif said == '--user' or said == '--verbose' then
      options[said:sub(3)] = true
    elseif said == '--dir' or dir then
      if not dir then
        at = at + 1
        dir = args[at]
      end
      if not dir or dir == '' then return nil, '--dir needs a folder' end
      options.dir = dir
    elseif said:sub(1, 1) == '-' then
      return nil, 'unknown option ' .. said
    elseif options.word then
      return nil, 'one word at a time: ' .. said
    else
      options.word = said
    end
    at = at + 1
  end
  if options.dir and options.user then return nil, '--dir and --user exclude each other' end
  if not options.word then return nil, 'needs a word: init, check, diff or refresh' end
  return options
end

--- The folder of the layer, absolute.
local function folder_of(options, host)
  local dir = options.dir or SITE_DIR
  if options.user then
    dir = collection.config_home(host) .. '/confine-lua/user.d'
  end
  if dir:sub(1, 1) ~= '/' then dir = require('posix.unistd').getcwd() .. '/' .. dir end
  return #dir > 1 and dir:gsub('/+$', '') or dir
end

local function show_list(say, title, list)
  if #list == 0 then return end
  say.print(title)
  for _, item in ipairs(list) do
    local detail = item.finding.detail and ', ' .. text.visible(item.finding.detail) or ''
    say.print('  ' .. text.visible(item.statement))
    say.print('      ' .. table.concat(item.sources, '; ') .. detail)
  end
end

local function show_difference(say, difference)
  for _, item in ipairs(difference) do
    say.print(item.sign .. ' ' .. text.visible(item.statement))
    say.print('      ' .. text.visible(item.why))
  end
end

--- Reads the layer as it is.
-- @return its text ('' when it is not there); nil and the reason when it may not be replaced
local function current(host, where)
  local content, reason = host.read(where, MAX_LAYER)
  if not content and reason then return nil, ('%s: %s'):format(where, reason) end
  if content and not layer.is_generated(content) then
    return nil, where .. ': written by hand, so it is left alone; move it to another name'
  end
  return content or ''
end

local function write(dir, list)
  local replace = require 'scripts.replace'
  local done, reason = replace.folder(dir)
  if done then done, reason = replace.fit(dir) end
  if done then done, reason = replace.write(dir, NAME, layer.text(list)) end
  return done, reason
end

--- The exit status where nothing else is wrong: what could not be read may be missing.
local function status_of(found)
  return #found.problems == 0 and 0 or 1
end

local WORDS = {}

function WORDS.init(state)
  if #state.difference == 0 and layer.is_current(state.old) then
    state.say.print(state.where .. ': nothing differs')
    return status_of(state.found)
  end
  show_difference(state.say, state.difference)
  local done, reason = write(state.dir, state.found.written)
  if not done then
    state.say.complain(reason)
    if state.dir == SITE_DIR and state.host.uid ~= 0 then
      state.say.complain('run it as root, or with --user for your own policy')
    end
    return 2
  end
  local count = #state.found.written
  state.say.print(('%s: written, %d statement%s'):format(state.where, count,
    count == 1 and '' or 's'))
  return status_of(state.found)
end

function WORDS.refresh(state)
  if state.old ~= '' then return WORDS.init(state) end
  state.say.complain(state.where .. ' is not there: ' .. state.writes .. ' writes it')
  return 2
end

function WORDS.diff(state)
  show_difference(state.say, state.difference)
  return 0
end

function WORDS.check(state)
  if state.old == '' then
    state.say.print(state.where .. ' is not there: ' .. state.writes .. ' writes it')
    return 1
  end
  local is_taken, reason = require('scripts.replace').is_taken(state.dir, NAME)
  if not is_taken then state.say.complain(reason .. ': no run starts with it') end
  if #state.difference == 0 then
    state.say.print(state.where .. ': nothing differs')
    return is_taken and status_of(state.found) or 1
  end
  state.say.print(state.where .. ' differs from what is found now, and a refresh would change:')
  show_difference(state.say, state.difference)
  return 1
end

--- Runs the command against a host.
-- @param args list of strings, the word first
-- @param host as scripts/host.lua makes it
-- @param look function(host) -> what scripts/assemble.lua gives
-- @param say { print = function(line), complain = function(line) }
-- @return exit status
function M.run(args, host, look, say)
  local options, problem = options_of(args)
  if options and options.word == 'help' then
    say.print((USAGE:gsub('\n$', '')))
    return 0
  end
  local word = options and WORDS[options.word]
  if not word then
    say.complain(problem or 'unknown word ' .. options.word)
    say.complain('site --help lists the words')
    return 2
  end
  local state = { host = host, dir = folder_of(options, host), say = say }
  local where = state.dir .. '/' .. NAME
  state.where = text.visible(where)
  state.writes = 'confine-lua site init' .. (options.user and ' --user' or '')
    .. (options.dir and ' --dir ' .. text.shell(options.dir) or '')
  state.old, problem = current(host, where)
  if not state.old then
    say.complain(problem)
    return 2
  end
  state.found, problem = look(host)
  if not state.found then
    say.complain(problem)
    return 2
  end
  state.difference = layer.difference(state.old, state.found.written)
  for _, line in ipairs(state.found.problems) do say.complain(line) end
  if options.verbose then
    show_list(say, 'named by a record already:', state.found.known)
    show_list(say, 'gone at the next login, so not written:', state.found.passing)
  end
  return word(state)
end

local STANDARD = {
  print = function(line) io.stdout:write(line, '\n') end,
  complain = function(line) io.stderr:write('confine-lua site: ', text.visible(line), '\n') end,
}

--- Runs the command against this machine.
-- @param args list of strings, the word first
-- @return exit status
function M.main(args)
  local has_core, core = pcall(require, 'confine.core')
  core = has_core and core or nil
  local host = require('scripts.host').new(core)
  local function look(of) return require('scripts.machine').look(core, of) end
  return M.run(args, host, look, STANDARD)
end

if is_program then os.exit(M.main { table.unpack(arg) }, true) end

return M
