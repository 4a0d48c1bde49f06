--- Compares what a program printed with the snapshot in tests/golden.
--
-- CONFINE_GOLDEN=write in the environment writes the snapshots anew instead, to be looked at with
-- `git diff` before they are committed.
local process = require 'tests.rig.process'

local M = {}

local FOLDER = 'tests/golden/'

--- The snapshot of this name and what was printed.
-- @param name the file's name without .txt
-- @param text what was printed, without what differs from machine to machine
-- @return expected, got: equal where all is well; the first is empty without a snapshot
function M.both(name, text)
  local path = FOLDER .. name .. '.txt'
  if os.getenv 'CONFINE_GOLDEN' == 'write' then
    local file = assert(io.open(path, 'wb'))
    assert(file:write(text))
    file:close()
  end
  return process.slurp(path) or '', text
end

return M
