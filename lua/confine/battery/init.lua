-- The battery: what a confined command tries, as records. Each is one probe:
--
--   name, row, title   its name, unique in its row of rows.lua; that row; what is tried
--   attempt(s)         of confine-probe, each a list: made outside as the control, where
--                      they must be reached, and inside
--   expects            'refused' (default), or 'reached' for what must go on working
--   control            another attempt to make outside (false: none can be reached), or { start }
--   names              'socket', 'file' or 'env': what `explain` is asked about the second word
--   asks               an attempt that explain is asked about instead of those that are made
--   opened_by          { word, value }: a policy that says so opens it
--   setup              steps before the run (doors/targets.lua)
--   change             steps while it runs, then the attempts are made; `mode` says how often
--   after, meanwhile   attempts made outside afterwards or during the run; they must be refused,
--                      unless explain says that what is asked about is the host's to write
--   leaves             what there may be then of it, to be removed
--   scene              where the attempts are made (doors/scenes.lua), default 'main'
--   start              one run of its own by the command line instead: { argv, policy, project,
--                      env, stdin }; `says` is what its refusal must tell
--
-- `{name}` in any text stands for what the proof calls so: a folder, a number, a secret.

local rows = require 'confine.battery.rows'

local M = {}

local PARTS = { 'sockets', 'kernel', 'files', 'runner' }

--- The probes that need nothing of the host.
function M.own()
  local out = {}
  for _, part in ipairs(PARTS) do
    for _, probe in ipairs(require('confine.battery.' .. part)) do out[#out + 1] = probe end
  end
  return out
end

--- The class that a row belongs to; nil for a row that is not in rows.lua.
function M.class_of(row)
  for _, class in ipairs(rows) do
    for _, item in ipairs(class.rows) do
      if item.name == row then return class end
    end
  end
end

--- The attempts of a probe.
function M.attempts(probe)
  return probe.attempts or (probe.attempt and { probe.attempt }) or {}
end

--- The names of sockets and files that probes set up or change.
function M.used(probes)
  local out = {}
  local AT = { listen = 4, replace = 4, close = 2, file = 2, rewrite = 2, rewriting = 2, rename = 2,
    link = 3, hard_link = 3, mode = 2 }
  for _, probe in ipairs(probes) do
    for _, steps in ipairs { probe.setup or {}, probe.change or {} } do
      for _, step in ipairs(steps) do
        if AT[step[1]] then out[#out + 1] = step[AT[step[1]]] end
      end
    end
    for _, attempt in ipairs(probe.after or {}) do out[#out + 1] = attempt[2] end
  end
  return out
end

--- A value with every `{name}` in its texts filled in.
-- @param tokens map name -> text, or { unknown = reason }
-- @return the value, or nil and the reason why a token has none
function M.fill(value, tokens)
  local reason
  local function fill(item)
    if type(item) == 'table' then
      local out = {}
      for key, part in pairs(item) do out[key] = fill(part) end
      return out
    elseif type(item) ~= 'string' then
      return item
    end
    return (item:gsub('{([%l_]+)}', function(name)
      local text = tokens[name]
      if type(text) == 'table' then
        reason = reason or text.unknown
        return ''
      end
      return text
    end))
  end
  local filled = fill(value)
  if reason then return nil, reason end
  return filled
end

--- A text as confine-probe takes something to search for.
function M.hex(text)
  return 'hex:' .. text:gsub('.', function(c) return ('%02x'):format(c:byte()) end)
end

return M
