-- confine-lua test: runs specs in the dialect of busted, with nothing but the embedded Lua.

local M = { name = 'test', summary = 'Run specs (busted dialect).', raw = true }

--- The runner parses its own options, so that it says the same under any Lua.
-- @param args list of strings
-- @return exit status
function M.main(args)
  return require('lunit').main(args)
end

return M
