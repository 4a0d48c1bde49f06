-- What the program says to a person: errors on stderr, one prefix, nothing raw on a terminal.

local problem = require 'confine.values.problem'
local text = require 'confine.values.text'

local M = {}

--- How many problems are printed for a person, and how many for a program: a command may have
-- written the policy that has them.
M.MOST, M.MOST_JSON = 20, 1000

--- One message on stderr. Lines of our own are kept; control characters within are made visible.
function M.error(message)
  local lines = {}
  for line in (message .. '\n'):gmatch('(.-)\n') do lines[#lines + 1] = text.visible(line) end
  io.stderr:write('confine-lua: ', table.concat(lines, '\n'), '\n')
end

--- One message that stays one line, whatever the names in it hold.
function M.line(message)
  M.error(text.visible(message))
end

--- The first problems of a list, and behind them one that says how many there are beyond.
-- @param problems list; it is not changed
-- @param most integer, 1 or more
-- @return list
function M.first(problems, most)
  if #problems <= most then return problems end
  local out = table.move(problems, 1, most, 1, {})
  out[most + 1] = problem.new { kind = 'more', message = ('and %d more'):format(#problems - most) }
  return out
end

--- All problems, one after the other, as far as a person reads them.
-- @param problems list
-- @return 125, the exit status of a refused launch
function M.problems(problems)
  for _, item in ipairs(M.first(problems, M.MOST)) do M.error(problem.text(item)) end
  return 125
end

return M
