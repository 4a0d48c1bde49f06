--- The command lines of the caller's daemons: the sockets that they were told to listen on.
local endpoints = require 'confine.endpoints'
local found = require 'scripts.found'
local records = require 'scripts.records'

local function discover(host)
  local out = found.new(host)
  local by_owner = records.owners(host.records)
  for process in host.processes() do
    local program = (process.exe or ''):gsub(' %(deleted%)$', ''):match('[^/]*$')
    if not by_owner[program] then program = process.comm end
    local text = by_owner[program] and not process.other_view and process.command()
    local words = {}
    for word in (text or ''):gmatch('([^%z]*)%z') do words[#words + 1] = word end
    if #words > 0 then
      out:endpoints(by_owner[program], endpoints.of_command(program, words, out:facts()),
        'command line of ' .. program, { detail = ('process %d'):format(process.pid) })
    end
  end
  return out:results()
end

return {
  doc = 'Sockets named on the command lines of the caller\'s processes that are in the `owners` of '
    .. 'an authority record: ssh-agent lets nobody see which sockets it holds.',
  discover = discover,
}
