--- Where this is: which distribution, which container engine or outer sandbox, told by their signs.

local M = {}

--- What engines mount into each of their containers; an image that was copied to a disk has none.
local ENGINE_MOUNTS = { ['/etc/hosts'] = true, ['/etc/hostname'] = true,
  ['/etc/resolv.conf'] = true }

local function engine_mount(signs)
  for _, mount in ipairs(signs.mounts or {}) do
    if ENGINE_MOUNTS[mount.path] then return mount.path end
  end
end

--- Engines and how each is told, the innermost first.
-- @return function(signs) -> what it was told by, or nil
local ENGINES = {
  { name = 'bwrap', told = function(signs)
    return signs.first == 'bwrap' and 'process 1 is bwrap'
  end },
  { name = 'kubernetes', told = function(signs)
    local where = engine_mount(signs)
    if signs.service_account then return 'a service account is mounted' end
    return where and signs.env.KUBERNETES_SERVICE_HOST
      and 'KUBERNETES_SERVICE_HOST is set and ' .. where .. ' is mounted'
  end },
  { name = 'podman', told = function(signs)
    local where = engine_mount(signs)
    return signs.containerenv and where and '/run/.containerenv is there and ' .. where
      .. ' is mounted'
  end },
  { name = 'docker', told = function(signs)
    local where = engine_mount(signs)
    return signs.dockerenv and where and '/.dockerenv is there and ' .. where .. ' is mounted'
  end },
  { name = 'nspawn', told = function(signs)
    return signs.manager == 'systemd-nspawn' and '/run/systemd/container says so'
  end },
  { name = 'lxc', told = function(signs)
    if signs.lxd then return signs.lxd .. ' is there' end
    return signs.manager == 'lxc' and '/run/systemd/container says so'
  end },
}

--- os-release(5) as a table.
local function release(text)
  local out = {}
  for line in (text or ''):gmatch('[^\n]+') do
    local key, value = line:match('^([%u_%d]+)=(.*)$')
    if key then out[key] = value:gsub('^(["\'])(.*)%1$', '%2') end
  end
  return out
end

--- The ids by which remedies know a distribution.
local ALIAS = { ['opensuse'] = 'suse', ['opensuse-leap'] = 'suse', ['opensuse-tumbleweed'] = 'suse',
  ['sles'] = 'suse', ['centos'] = 'rhel', ['rocky'] = 'rhel', ['almalinux'] = 'rhel',
  ['ol'] = 'rhel', ['archlinux'] = 'arch' }

--- Tells the place from its signs.
-- @param signs { os_release = text, first = name of process 1, containerenv, dockerenv, lxd =
--   path or nil, service_account = boolean, manager = text of /run/systemd/container, env, mounts,
--   uid_map = text of /proc/self/uid_map }
-- @return { distribution = id, like = list of ids, name = what it calls itself, container = engine
--   or nil, told = how that was told, mapped = number of user ids where not all are }
function M.of(signs)
  local about = release(signs.os_release)
  local place = { name = about.PRETTY_NAME or about.NAME or 'an unnamed system', like = {} }
  place.distribution = ALIAS[about.ID] or about.ID or 'unknown'
  for id in (about.ID_LIKE or ''):gmatch('%S+') do
    place.like[#place.like + 1] = ALIAS[id] or id
  end
  for _, engine in ipairs(ENGINES) do
    local told = engine.told(signs)
    if told then
      place.container, place.told = engine.name, told
      break
    end
  end
  local left = signs.dockerenv and '/.dockerenv' or signs.containerenv and '/run/.containerenv'
  if not place.container and left then
    place.told = left .. ' is there, but nothing that an engine mounts: a copied image'
  end
  local count = (signs.uid_map or ''):match('^%s*%d+%s+%d+%s+(%d+)%s*$')
  if count and count ~= '4294967295' then place.mapped = math.tointeger(tonumber(count)) end
  return place
end

return M
