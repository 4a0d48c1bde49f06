--- Listening sockets whose owner is a known authority daemon of the caller.
local found = require 'scripts.found'
local records = require 'scripts.records'

--- The name by which a socket can be reached now: what it was bound to may be gone. ssh binds a
-- master's socket as NAME.RANDOM and then renames it (OpenSSH, mux.c, muxserver_listen).
local function reachable(host, where)
  if not where or where:sub(1, 1) ~= '/' then return nil end
  if host.type(where) == 'socket' then return where end
  local renamed = where:match('^(.*)%.%w+$')
  return renamed and host.type(renamed) == 'socket' and renamed or nil
end

local function discover(host)
  local out = found.new(host)
  local by_owner = records.owners(host.records)
  local sockets, problem = host.sockets()
  if problem then out:problem('listening sockets: ' .. problem) end
  for _, socket in ipairs(sockets or {}) do
    local owner = socket.owner
    local program = owner and (owner.exe or ''):gsub(' %(deleted%)$', ''):match('[^/]*$')
    local authority = owner and (by_owner[program] or by_owner[owner.comm])
    local where = authority and reachable(host, socket.path)
    if authority and (where or socket.abstract) then
      out:add { authority = authority, path = where, abstract = socket.abstract,
        source = 'listening socket of ' .. (by_owner[program] and program or owner.comm),
        detail = ('process %d'):format(owner.pid), pid = owner.pid }
    end
  end
  return out:results()
end

return {
  doc = 'Listening sockets, by the executable of their owner, for each name in the `owners` of an '
    .. 'authority record. Another user\'s owner cannot be seen and makes no authority.',
  discover = discover,
}
