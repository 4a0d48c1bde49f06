--- confine-lua site: the deployment scripts, which lie beside the program and not in it.

local say = require 'confine.forms.cli.say'

local M = { name = 'site',
  summary = 'Find sockets and credential files of this machine, and keep them in a layer.',
  raw = true, needs_posix = true }

--- Where scripts/ may be, relative to the program: in a checkout, and as it is installed.
local PLACES = { '../', '../share/confine-lua/' }

--- The folder that holds scripts/, with a slash at its end; nil where there is none.
local function folder()
  local program = require('posix.unistd').readlink('/proc/self/exe') or ''
  local stat = require 'posix.sys.stat'
  for _, place in ipairs(PLACES) do
    local dir = program:match('^.*/') .. place
    if stat.stat(dir .. 'scripts/site.lua') then return dir end
  end
end

--- @param args list of strings: init, check, diff or refresh, and options
-- @return exit status
function M.main(args)
  local dir = folder()
  if not dir then
    say.error('the deployment scripts are not beside the program'
      .. '\n    ./build.sh install puts them there')
    return 2
  end
  package.path = dir .. '?.lua;' .. package.path
  return require('scripts.site').main(args)
end

return M
