-- What went wrong, as a value: a kind, its word and policy line, a message and a remedy.

local text = require 'confine.values.text'

local M = {}

--- Makes a problem.
-- @param p table { kind = string, message = string, word = string?, from = 'file:line'?,
--   hint = string? }
-- @return the problem (a plain table, printable and comparable)
function M.new(p)
  assert(type(p.kind) == 'string' and type(p.message) == 'string',
    'a problem has a kind and a message')
  return { kind = p.kind, word = p.word, from = p.from, message = p.message, hint = p.hint }
end

--- One problem as the text a person reads: `from: message`, and the remedy in a line of its own.
-- What is named in it may hold a line feed, which must not make a line that looks like ours.
function M.text(p)
  local line = text.visible(p.from and (p.from .. ': ' .. p.message) or p.message)
  if p.hint then line = line .. '\n    remedy: ' .. text.visible(p.hint) end
  return line
end

--- Edit distance of two short words (Levenshtein with adjacent swaps), used only for hints.
local function distance(a, b)
  local before, last = nil, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    local row = { [0] = i }
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
      if before and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j) then
        row[j] = math.min(row[j], before[j - 2] + 1)
      end
    end
    before, last = last, row
  end
  return last[#b]
end

--- The candidate nearest to a mistyped name, or nil when none is near.
-- @param name string
-- @param candidates list of strings; the first of equally near ones wins
function M.nearest(name, candidates)
  if #name > 64 then return nil end
  local best, best_distance = nil, math.max(1, #name // 3) + 1
  for _, candidate in ipairs(candidates) do
    local d = distance(name, candidate)
    if d < best_distance then best, best_distance = candidate, d end
  end
  return best
end

return M
