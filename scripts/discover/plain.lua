--- The site's own list for people who write no Lua: a path, a glob or an @abstract name a line.
local endpoint = require 'confine.values.endpoint'
local found = require 'scripts.found'
local glob = require 'confine.values.glob'
local path = require 'confine.values.path'
local shapes = require 'confine.words.shapes'

--- The authority of a line that names none.
local AUTHORITY = 'site_sockets'

--- One line: `[AUTHORITY:] SOCKET`, with blanks around it.
local function entry(out, said, where)
  local authority, thing = said:match('^(%l[%w_]*):%s+(.*)$')
  authority, thing = authority or AUTHORITY, thing or said
  if thing:find('%c') then
    out:problem(('%s: holds control characters: %s'):format(where, endpoint.shown(thing)))
    return
  end
  local source = 'list ' .. where:match('^(.*):')
  if thing:find('^@.') then
    local key = glob.is_glob(thing) and 'abstract_glob' or 'abstract'
    out:add { authority = authority, [key] = thing:sub(2), source = source }
    return
  end
  thing = thing:gsub('^unix://', '')
  if thing:find('**', 1, true) or not thing:find('^[/~$]') or #thing > endpoint.MAX_PATH then
    out:problem(('%s: not an absolute path, a glob without ** or an @name: %s')
      :format(where, endpoint.shown(thing)))
    return
  end
  local _, _, complaint = shapes.paths({ thing }, {})
  if thing:find '[%s,]%s*/' then complaint = 'holds two paths: ' .. endpoint.shown(thing) end
  if complaint then
    out:problem(('%s: %s'):format(where, complaint))
    return
  end
  -- What `~` and a variable are, each run finds for its own user.
  if thing:find('[~$]') then
    out:add { authority = authority, glob = thing, source = source }
    return
  end
  for _, item in ipairs(path.expand(thing, out:policy_facts())) do
    local key = glob.is_glob(item) and 'glob' or 'path'
    out:add { authority = authority, [key] = item, source = source }
  end
end

local function discover(host)
  local out = found.new(host)
  local config = found.config_home(host)
  for _, dir in ipairs { '/etc', config } do
    local file = dir .. '/confine-lua/sockets.list'
    local number = 0
    for line in ((out:read(file) or '') .. '\n'):gmatch('(.-)\n') do
      number = number + 1
      local said = line:sub(1, 2 * endpoint.MAX_PATH):gsub('%f[^%s\0]#.*', '')
        :match('^%s*(.-)%s*$')
      if said ~= '' then
        entry(out, said, ('%s:%d'):format(file, number))
      end
    end
  end
  return out:results()
end

return {
  doc = 'Sockets listed in /etc/confine-lua/sockets.list and in the caller\'s own, one a line; '
    .. ' `#` after a blank starts a comment, `docker: /path` names the authority.',
  discover = discover,
}
