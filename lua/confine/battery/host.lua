-- Probes on what this host really has: the live sockets that discovery found, the credential files.

local path = require 'confine.values.path'
local protocols = require 'confine.battery.protocols'

local M = {}

--- Off-list sockets that are tried; a host may have thousands.
local MOST_OFF_LIST = 24
local MOST_FILES = 200

local function within_any(where, folders)
  for _, folder in ipairs(folders) do
    if path.within(where, folder) then return true end
  end
  return false
end

--- A probe for each live socket of an authority, and one for the off-list ones together.
-- @param rows from views.sockets.rows
-- @param own folders of this proof, whose sockets have probes of their own
-- @return list of probes
function M.sockets(rows, own)
  local out, seen = {}, {}
  local off_list = { name = 'host-off-list', row = 'off_list', expects = 'reached',
    title = "this host's own off-list sockets", names = 'socket', setup = {}, attempts = {} }
  for _, row in ipairs(rows) do
    local is_own = within_any(row.name, own) or row.name:find('^@confine%-verify')
    if not (is_own or seen[row.name] or row.gone) then
      seen[row.name] = true
      if row.authority then
        local attempt = protocols.of(row.authority, row.name)
        if attempt == 'connect' and row.type ~= 'stream' then
          attempt = row.type == 'dgram' and 'connect-datagram' or 'connect-seqpacket'
        end
        out[#out + 1] = { name = 'host-' .. row.name, row = 'listed', names = 'socket',
          title = ('%s, live here'):format(row.authority), attempts = { { attempt, row.name } },
          or_connect = true }
      elseif row.off_list and row.type == 'stream' and #off_list.attempts < MOST_OFF_LIST then
        off_list.attempts[#off_list.attempts + 1] = { 'connect', row.name }
      end
    end
  end
  if #off_list.attempts > 0 then out[#out + 1] = off_list end
  return out
end

--- One probe for the credential files and folders that are here.
-- @param resolved resolved policy
-- @param own folders of this proof
function M.credentials(resolved, own)
  local probe = { name = 'host-credentials', row = 'credential', names = 'file',
    title = 'those of this host', attempts = {} }
  local seen = {}
  for _, name in ipairs(resolved.names) do
    local kind = name.look.type
    if name.entry.verb == 'hide' and not seen[name.path] and not within_any(name.path, own)
      and (kind == 'file' or kind == 'dir') and #probe.attempts < MOST_FILES then
      seen[name.path] = true
      probe.attempts[#probe.attempts + 1] = { kind == 'dir' and 'list' or 'read', name.path }
    end
  end
  return #probe.attempts > 0 and { probe } or {}
end

return M
