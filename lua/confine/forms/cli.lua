-- The command line: finds the command, parses its options, prints the answer, returns the status.

local problem = require 'confine.values.problem'
local say = require 'confine.forms.cli.say'
local text = require 'confine.values.text'

local M = {}

M.VERSION = '0.1.0'

--- The commands, in the order of the help. Each is one file in forms/cli/.
M.COMMANDS = { 'run', 'explain', 'plan', 'diff', 'check', 'sockets', 'verify', 'doctor', 'site',
  'words', 'test', 'lua' }

local function usage()
  local lines = {
    'usage: confine-lua COMMAND [OPTIONS...]',
    '',
    'Runs commands that nobody vouches for under bubblewrap, by policies written in Lua.',
    '',
  }
  for _, name in ipairs(M.COMMANDS) do
    lines[#lines + 1] = ('  %-9s %s'):format(name, require('confine.forms.cli.' .. name).summary)
  end
  lines[#lines + 1] = ''
  lines[#lines + 1] = 'confine-lua COMMAND --help tells the options of a command; '
    .. '--version tells the version.'
  return table.concat(lines, '\n')
end

local function usage_error(message, hint)
  say.error(message .. (hint and ('\n    ' .. hint) or ''))
  return 2
end

--- Splits `[OPTIONS] [--] WORDS...` at the first word that is no option: what follows belongs to
-- somebody else, dashes and all.
-- @param args list of strings
-- @param takes_value map option -> true for those whose value is the next argument
-- @return options, words
function M.split(args, takes_value)
  local options, at = {}, 1
  while at <= #args do
    local arg = args[at]
    if arg == '--' then
      at = at + 1
      break
    end
    if arg:sub(1, 1) ~= '-' or arg == '-' then break end
    options[#options + 1] = arg
    if takes_value[arg] and args[at + 1] then
      at = at + 1
      options[#options + 1] = args[at]
    end
    at = at + 1
  end
  return options, { table.unpack(args, at) }
end

--- The line of a policy that says what an option was thought to say, or nil: not every word is an
-- option too. Who writes `--tty` wants what the loosest value gives.
local function as_line(said)
  local words = require 'confine.words'
  local word = words.find(said:match "^unknown option '%-%-([%w.]+)'" or '')
  if not word then return nil end
  local line = word.values and ("%s '%s'"):format(word.name, word.values[#word.values])
    or word.examples[1].text
  return ('a line of a policy file says it, which -p FILE names: %s'):format(line)
end

--- Parses the options of a command by its parser; prints help and errors as they come.
-- @return options and words, or nil and an exit status
function M.parse(command, args)
  local parser = require 'argparse' ('confine-lua ' .. command.name, command.summary)
  parser:usage_max_width(96):help_max_width(96):add_help(false)
  parser:flag '-h --help':description 'Show this help.'
  local takes_value = {}
  local function option(names, metavar, description)
    for name in names:gmatch '%S+' do takes_value[name] = true end
    return parser:option(names):argname('<' .. metavar .. '>'):description(description)
  end
  command.options(parser, option)
  local words
  if command.words then
    args, words = M.split(args, takes_value)
  end
  parser:usage(('usage: confine-lua %s [options]%s'):format(command.name,
    command.words and ' ' .. command.words or ''))
  local ok, result = parser:pparse(args)
  if not ok then
    local said = result:gsub('\nDid you mean', ': did you mean')
    return nil, usage_error(text.visible(said), takes_value['--policy'] and as_line(said)
      or ('confine-lua %s --help'):format(command.name))
  end
  if result.help then
    io.stdout:write(parser:get_help(), '\n')
    return nil, 0
  end
  result.words = words
  return result
end

--- Runs a command line.
-- @param argv list of strings, without the program's name
-- @return exit status as DESIGN §7 gives it
function M.main(argv)
  if argv[1] == 'help' and argv[2] then argv = { argv[2], '--help' } end
  local name = argv[1]
  if name == nil then
    io.stderr:write(usage(), '\n')
    return 2
  elseif name == '--help' or name == '-h' or name == 'help' then
    io.stdout:write(usage(), '\n')
    return 0
  elseif name == '--version' or name == '-V' then
    io.stdout:write('confine-lua ', M.VERSION, '\n')
    return 0
  end
  local known = false
  for _, candidate in ipairs(M.COMMANDS) do known = known or candidate == name end
  if not known then
    local near = problem.nearest(name, M.COMMANDS)
    return usage_error(("unknown command '%s'"):format(text.cut(name, 60)),
      near and ("did you mean '%s'?"):format(near) or 'confine-lua --help lists the commands')
  end
  -- A run makes its plan once, in some 3 MiB, which it gives back when it lasts (core/launch).
  if name ~= 'run' then collectgarbage 'restart' end
  local command = require('confine.forms.cli.' .. name)
  if command.needs_posix and not pcall(require, 'posix.unistd') then
    return usage_error(name .. ' needs luaposix, which is not beside the program',
      './build.sh install puts it there')
  end
  if command.raw then return command.main { table.unpack(argv, 2) } end
  local options, status = M.parse(command, { table.unpack(argv, 2) })
  if not options then return status end
  return command.main(options)
end

return M
