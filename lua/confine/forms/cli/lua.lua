-- confine-lua lua: runs a Lua script with `confine` and luaposix at hand.

local say = require 'confine.forms.cli.say'

local M = { name = 'lua', summary = 'Run a Lua script with the confine library.',
  words = 'FILE [ARG...]' }

function M.options() end

function M.main(options)
  local file = options.words[1]
  if not file then
    say.error('no script is named\n    confine-lua lua FILE [ARG...]')
    return 2
  end
  local chunk, complaint = loadfile(file)
  if not chunk then
    say.error(complaint)
    return 1
  end
  local arguments = { table.unpack(options.words, 2) }
  _G.arg = { [0] = file, table.unpack(arguments) }
  local ok, result = xpcall(chunk, debug.traceback, table.unpack(arguments))
  if not ok then
    say.error((tostring(result):gsub('\t', '    ')))
    return 1
  end
  return math.type(result) == 'integer' and result or 0
end

return M
