--- Listening sockets whose owner is a known authority daemon of the caller.
local found = require 'scripts.found'
local records = require 'scripts.records'

local function discover(host)
  local out = found.new(host)
  local by_owner = records.owners(host.records)
  local sockets, problem = host.sockets()
  if problem then out:problem('listening sockets: ' .. problem) end
  for _, socket in ipairs(sockets or {}) do
    local owner = socket.owner
    local program = owner and (owner.exe or ''):gsub(' %(deleted%)$', ''):match('[^/]*$')
    local authority = owner and (by_owner[program] or by_owner[owner.comm])
    if authority and (socket.path or socket.abstract) then
      out:add { authority = authority, path = socket.path, abstract = socket.abstract,
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
