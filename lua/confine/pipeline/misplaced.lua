-- Refusals of what every run needs or makes anew: no folder could be hidden through these.

local devices = require 'confine.pipeline.devices'
local path = require 'confine.values.path'
local problem = require 'confine.values.problem'
local text = require 'confine.values.text'

local M = {}

--- Why no folder could be hidden through this one, or nil.
-- @param thing as the policy names it: a link or a variable may lead to a harmless device
--   (HISTFILE=/dev/null), which takes it from nobody
local function unhideable(where, thing)
  local first = where:byte(2)
  if first and first ~= 100 and first ~= 112 then return nil end
  if where == '/' then
    return 'would be the whole host', 'name the folders or sockets that are meant'
  elseif path.within(where, '/proc') then
    return "cannot be hidden: the command's /proc is made for the run",
      'the word `proc` says what it shows'
  elseif where == '/dev' or (devices.is_harmless(where) and thing == where) then
    return "cannot be hidden: the command's /dev is made for the run",
      'device.grant says which devices of the host it holds beyond the harmless ones'
  end
end

--- The problems of such refusals.
-- @return list of problems, or nil
function M.problems(resolved)
  local problems = {}
  for _, map in ipairs { resolved.files, resolved.sockets } do
    for where, entries in pairs(map) do
      for _, entry in ipairs(entries) do
        local complaint, hint = unhideable(where, entry.noun == 'file' and entry.thing)
        if complaint and entry.verb ~= 'protect' and not entry.of_socket then
          local word, shown = entry.noun .. '.' .. entry.verb, text.visible(entry.thing)
          if entry.thing ~= where then shown = ('%s, which is %s,'):format(shown, where) end
          problems[#problems + 1] = problem.new { kind = 'bad_refusal', word = word,
            from = entry.from, message = ('%s: %s %s'):format(word, shown, complaint),
            hint = hint }
        end
      end
    end
  end
  table.sort(problems, function(one, other) return one.message < other.message end)
  return #problems > 0 and problems or nil
end

return M
