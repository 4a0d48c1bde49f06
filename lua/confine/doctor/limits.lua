--- Doctor: resource limits of each process, and core dumps.

return {
  name = 'limits',
  needs_proc = 'any',
  guards = 'limit { files, memory, pids } hold for each process, and no core dump runs a program '
    .. 'of the host',
  proof = 'a child takes limits, meets them, and dies without a core',
  missing = 'no run starts',
  judge = function(seen)
    for _, name in ipairs { 'rlimits', 'core_dumps' } do
      if not seen.guards[name].available then return 'missing', seen.guards[name].reason end
    end
    return 'ok', 'limits of each process hold, and core dumps are off'
  end,
  remedies = {
    { does = 'the limits that this shell itself runs under leave no room: raise them',
      commands = { 'ulimit -a' }, tried = 'Debian 12' },
  },
  examples = {
    { seen = { guards = { rlimits = { available = true }, core_dumps = { available = true } } },
      status = 'ok', says = 'hold' },
    { seen = { guards = { rlimits = { available = true },
        core_dumps = { available = false, reason = 'a core was written' } } },
      status = 'missing', says = 'a core' },
  },
}
