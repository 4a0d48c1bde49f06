--- STY: the name of the screen session, which is the name of its socket.
local endpoint = require 'confine.values.endpoint'

local function read(value, facts)
  if value:find('/', 1, true) or value == '.' or value == '..' then
    return nil, 'not the name of a session: ' .. endpoint.shown(value)
  end
  local list = {}
  local own = facts.env and facts.env.SCREENDIR
  if own and own:sub(1, 1) == '/' then
    local found = endpoint.path(own .. '/' .. value, facts)
    list[#list + 1] = found
  end
  if facts.user then
    for _, dir in ipairs { '/run/screen', '/tmp/screens', '/tmp/uscreens' } do
      list[#list + 1] = { path = ('%s/S-%s/%s'):format(dir, facts.user, value) }
    end
  end
  if facts.home then list[#list + 1] = { path = facts.home .. '/.screen/' .. value } end
  if #list == 0 then return nil, 'neither the user nor the home is known' end
  return list
end

return {
  doc = 'PID.TTY.HOST: a socket in $SCREENDIR or in one of the folders that builds of screen use.',
  examples = {
    { value = '42.pts-1.box', facts = { user = 'u' }, result = {
      { path = '/run/screen/S-u/42.pts-1.box' },
      { path = '/tmp/screens/S-u/42.pts-1.box' },
      { path = '/tmp/uscreens/S-u/42.pts-1.box' },
    } },
    { value = '42.r', facts = { home = '/home/u', env = { SCREENDIR = '/s' } }, result = {
      { path = '/s/42.r' }, { path = '/home/u/.screen/42.r' },
    } },
    { value = '42.r', problem = 'neither the user nor the home is known' },
    { value = '../x', facts = { user = 'u' }, problem = 'not the name of a session: "../x"' },
  },
  read = endpoint.reader(read),
}
