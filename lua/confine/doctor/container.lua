--- Doctor: whether this is inside a container or an outer sandbox.

local NAMES = { docker = 'Docker', podman = 'Podman', kubernetes = 'Kubernetes', lxc = 'LXC',
  nspawn = 'systemd-nspawn', bwrap = 'an outer bwrap' }

return {
  name = 'container',
  needs_proc = 'any',
  guards = 'tells which remedies are for here',
  proof = 'the signs that engines leave are looked for',
  missing = 'bounds are the same',
  judge = function(seen)
    local place = seen.place
    local says = place.container
      and ('%s (%s)'):format(NAMES[place.container] or place.container, place.told)
      or 'no container' .. (place.told and ' (' .. place.told .. ')' or '')
    if place.mapped then
      says = says .. ('; in a user namespace that maps %d user id%s'):format(place.mapped,
        place.mapped == 1 and '' or 's')
    end
    return 'ok', says
  end,
  remedies = {},
  examples = {
    { seen = { place = {} }, status = 'ok', says = 'no container' },
    { seen = { place = { container = 'podman', told = '/run/.containerenv is there', mapped = 1 } },
      status = 'ok',
      says = 'Podman (/run/.containerenv is there); in a user namespace that maps 1' },
  },
}
