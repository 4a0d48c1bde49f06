-- Series of attempts by confine-probe: the list that orders them, and the findings that came.

local json = require 'confine.values.json'

local M = {}

--- Orders as confine-probe reads them (core/probe/series.h).
-- @param orders list of { key, mode or nil, attempt = list of words }
function M.text(orders)
  local out = {}
  for _, order in ipairs(orders) do
    out[#out + 1] = order.key .. '\0' .. (order.mode or 'once') .. '\0'
      .. table.concat(order.attempt, '\0') .. '\0\0'
  end
  return table.concat(out)
end

--- The findings in what confine-probe printed, by their keys.
-- @return map key -> { result, errno, detail }
function M.findings(text)
  local out = {}
  for line in (text or ''):gmatch '[^\r\n]+' do
    local value = line:sub(1, 1) == '{' and json.decode(line)
    if type(value) == 'table' and value.result then
      out[value.key or ''] = { result = value.result, errno = value.errno, detail = value.detail }
    end
  end
  return out
end

--- A finding for what could not be tried.
function M.unavailable(detail)
  return { result = 'unavailable', errno = '', detail = detail }
end

return M
