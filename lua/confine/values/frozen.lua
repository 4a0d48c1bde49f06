-- Frozen values: a shared result that raises when somebody writes to it.

local M = {}

local function refuse()
  error('this value is frozen', 2)
end

--- Deep copy of a plain value (tables, strings, numbers, booleans).
function M.copy(value)
  if type(value) ~= 'table' then return value end
  local out = {}
  for key, item in pairs(value) do out[key] = M.copy(item) end
  return out
end

--- Makes a table read-only at its first level, without a copy of what it holds.
-- Reading, `#`, `pairs` and `ipairs` work as before.
function M.freeze(value)
  return setmetatable({}, {
    __index = value,
    __newindex = refuse,
    __len = function() return #value end,
    __pairs = function() return next, value, nil end,
    __metatable = false,
  })
end

--- Are two plain values the same, whole?
function M.same(a, b)
  if type(a) ~= 'table' or type(b) ~= 'table' then return a == b end
  for key, item in pairs(a) do
    if not M.same(item, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

return M
