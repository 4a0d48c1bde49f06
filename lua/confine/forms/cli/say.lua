-- What the program says to a person: errors on stderr, one prefix, nothing raw on a terminal.

local problem = require 'confine.values.problem'
local text = require 'confine.values.text'

local M = {}

--- One message on stderr. Lines of our own are kept; control characters within are made visible.
function M.error(message)
  local lines = {}
  for line in (message .. '\n'):gmatch('(.-)\n') do lines[#lines + 1] = text.visible(line) end
  io.stderr:write('confine-lua: ', table.concat(lines, '\n'), '\n')
end

--- All problems, one after the other.
-- @param problems list
-- @return 125, the exit status of a refused launch
function M.problems(problems)
  for _, item in ipairs(problems) do M.error(problem.text(item)) end
  return 125
end

return M
