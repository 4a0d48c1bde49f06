--- LIBVIRT_DEFAULT_URI: the hypervisor that virsh and its kin talk to.
local endpoint = require 'confine.values.endpoint'

--- Ports of libvirtd's own TLS and TCP services (libvirt, "Connection URIs").
local PORTS = { tls = 16514, tcp = 16509 }

local function read(value, facts)
  local driver, rest = value:match('^([%w+]+)://(.*)$')
  if not driver then return nil, 'not a URI: ' .. endpoint.shown(value) end
  local list = {}
  local socket = rest:match('[?&]socket=([^&#]*)')
  if socket then
    local path, problem = endpoint.unescape(socket)
    local found
    if path then found, problem = endpoint.path(path, facts) end
    if not found then return nil, problem end
    list[1] = found
  end
  local host = rest:match('^[^/?#]*')
  if host == '' then return list end
  local transport = driver:match('%+(%w+)$') or 'tls'
  if PORTS[transport] then
    local tcp, problem = endpoint.host_port(host, PORTS[transport])
    if not tcp then return nil, problem end
    list[#list + 1] = { tcp = tcp }
  else
    list[#list + 1] = { ssh = host:gsub(':[^@]*@', '@') }
  end
  return list
end

return {
  doc = 'DRIVER[+TRANSPORT]://[USER@][HOST][:PORT]/...[?socket=PATH]; without a host and a socket '
    .. 'it is one of the known local ones.',
  examples = {
    { value = 'qemu:///system', result = {} },
    { value = 'qemu+unix:///system?socket=/srv/lv%2dsock', result = { { path = '/srv/lv-sock' } } },
    { value = 'qemu+ssh://u@box/system', result = { { ssh = 'u@box' } } },
    { value = 'qemu://box/system', result = { { tcp = 'box:16514' } } },
    { value = 'xen+tcp://box:5/', result = { { tcp = 'box:5' } } },
    { value = 'qemu', problem = 'not a URI: "qemu"' },
    { value = 'qemu:///system?socket=%2', problem = 'a broken %-escape: "%2"' },
  },
  read = endpoint.reader(read),
}
