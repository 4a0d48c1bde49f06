-- The records that ship, file by file.

local SHARE = os.getenv 'CONFINE_LUA_SHARE'

local M = {}

M.POLICIES = SHARE and SHARE .. '/policies' or 'policies'
M.KINDS = { 'authorities', 'secrets', 'protected' }

--- A record file sees the word `record` and nothing else, so that it cannot compute.
local function read(path)
  local chunk = assert(loadfile(path, 't', { record = function(value) return value end }))
  return chunk()
end

local function files_of(kind)
  local list = {}
  local pipe = assert(io.popen(("LC_ALL=C ls '%s/%s'"):format(M.POLICIES, kind)))
  for name in pipe:lines() do
    local base = name:match('^(.*)%.lua$')
    if base then
      local path = ('%s/%s/%s'):format(M.POLICIES, kind, name)
      list[#list + 1] = { base = base, path = path, value = read(path) }
    end
  end
  pipe:close()
  return list
end

--- By kind the list of { base = name without .lua, path, value = the record }.
M.FILES = {}
for _, kind in ipairs(M.KINDS) do M.FILES[kind] = files_of(kind) end

--- The records as the program carries them, each with where it is from.
function M.records()
  local out = {}
  for kind, files in pairs(M.FILES) do
    out[kind] = {}
    for i, file in ipairs(files) do
      local record = { from = ('policies/%s/%s.lua'):format(kind, file.base) }
      for key, value in pairs(file.value) do record[key] = value end
      out[kind][i] = record
    end
  end
  return out
end

return M
