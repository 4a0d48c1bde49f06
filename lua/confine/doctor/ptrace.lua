--- Doctor: who may trace whom outside, and whether debuggers work inside.

local YAMA = 'https://docs.kernel.org/admin-guide/LSM/Yama.html'

local SAYS = {
  ['0'] = 'any process of yours outside may trace any other, also this program; inside only those '
    .. 'of the run are seen',
  ['1'] = 'a process traces its own children only; debuggers work inside',
  ['2'] = 'only root traces; debuggers do not work inside',
  ['3'] = 'nobody traces; debuggers do not work inside',
}

return {
  name = 'ptrace',
  needs_proc = 'any',
  guards = 'the process namespace keeps the command from tracing what is outside, whatever this '
    .. 'setting is',
  proof = 'kernel.yama.ptrace_scope is read',
  missing = 'bounds are the same',
  judge = function(seen)
    local scope = (seen.settings or {})['kernel.yama.ptrace_scope']
    if not scope then
      return 'ok', 'this kernel has no setting for it, which is as 0: ' .. SAYS['0']
    end
    return 'ok', ('kernel.yama.ptrace_scope is %s: %s'):format(scope, SAYS[scope] or 'unknown')
  end,
  remedies = {
    { does = 'let processes trace their own children only',
      commands = { 'sysctl -w kernel.yama.ptrace_scope=1' }, source = YAMA },
  },
  examples = {
    { seen = { settings = {} }, status = 'ok', says = 'no setting' },
    { seen = { settings = { ['kernel.yama.ptrace_scope'] = '2' } }, status = 'ok',
      says = 'is 2: only root traces' },
  },
}
