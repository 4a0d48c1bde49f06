-- confine-lua lua: runs a Lua script with `confine` and luaposix at hand.

local say = require 'confine.forms.cli.say'
local text = require 'confine.values.text'

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
    say.line(complaint)
    return 1
  end
  local arguments = { table.unpack(options.words, 2) }
  _G.arg = { [0] = file, table.unpack(arguments) }
  local ok, result = xpcall(chunk, debug.traceback, table.unpack(arguments))
  if not ok then
    -- The lines of a traceback are ours; those in the script's name are not.
    local name = debug.getinfo(chunk, 'S').short_src
    local shown = text.visible(name):gsub('%%', '%%%%')
    local said = tostring(result):gsub(name:gsub('%W', '%%%0'), shown)
    say.error((said:gsub('\t', '    ')))
    return 1
  end
  return math.type(result) == 'integer' and result or 0
end

return M
