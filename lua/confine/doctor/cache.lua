--- Doctor: the folder of what is remembered between runs.

return {
  name = 'cache',
  guards = 'what bwrap and the kernel answered is asked once, not in each run',
  proof = 'the folder is made, and nobody else may enter it',
  missing = 'bounds are the same; each run takes some 30 ms more',
  judge = function(seen)
    local cache = seen.cache
    if cache.unknown then return 'spare', cache.unknown end
    return 'ok', cache.path
  end,
  remedies = {
    { does = 'have a runtime folder of your own, as a login makes it',
      commands = { 'install -d -m 0700 -o "$USER" "/run/user/$(id -u)"' }, tried = 'Debian 12' },
  },
  examples = {
    { seen = { cache = { path = '/run/user/1000/confine-lua' } }, status = 'ok', says = '/run' },
    { seen = { cache = { path = '/x', unknown = 'mkdir /x: Permission denied' } },
      status = 'spare', says = 'mkdir /x' },
  },
}
