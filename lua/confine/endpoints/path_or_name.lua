--- A name of something else, or a socket's path, alone or behind what says that it is one: what
--- CUPS_SERVER, NIX_REMOTE, SESSION_MANAGER, ADB_SERVER_SOCKET and CADDY_ADMIN carry.
local endpoint = require 'confine.values.endpoint'

--- One entry: `/x`, `unix:///x`, `unix//x`, `localfilesystem:/x`, `local/host:@/x`.
local function entry(text, facts)
  local after = text:match('^%a+://(/.*)$') or text:match('^unix/(/.*)$')
    or text:match('^[%w._/-]+:(/[^/].*)$') or text:match('^[%w._/-]+:(@.+)$')
    or text:match('^([@/].*)$')
  if not after then return nil end
  return endpoint.socket((after:gsub('[?#].*$', '')), facts)
end

local function read(value, facts)
  local list, problem = {}, nil
  for text in value:gmatch('[^,]+') do
    local found, complaint = entry(text, facts)
    list[#list + 1] = found
    problem = problem or complaint
    if #list == endpoint.MAX_ENTRIES then break end
  end
  return list, problem
end

return {
  doc = 'A name, or PATH, unix://PATH, SCHEME:PATH, HOST:PATH or HOST:@ABSTRACT; a list of these.',
  examples = {
    { value = 'print.example.org:631', result = {} },
    { value = 'daemon', result = {} },
    { value = 'https://box/x', result = {} },
    { value = '/run/cups/cups.sock', result = { { path = '/run/cups/cups.sock' } } },
    { value = 'unix:///srv/nix', result = { { path = '/srv/nix' } } },
    { value = 'unix//run/caddy.sock', result = { { path = '/run/caddy.sock' } } },
    { value = 'localfilesystem:/srv/adb?x=1', result = { { path = '/srv/adb' } } },
    { value = 'local/h:@/tmp/.ICE-unix/1,unix/h:/tmp/.ICE-unix/1',
      result = { { abstract = '/tmp/.ICE-unix/1' }, { path = '/tmp/.ICE-unix/1' } } },
    { value = 'a\nb', problem = 'holds control characters: "a\\nb"' },
  },
  read = endpoint.reader(read),
}
