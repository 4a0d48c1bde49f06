--- Doctor: a /proc that shows our own processes.

return {
  name = 'proc',
  guards = 'bwrap, the stage and the keeper find processes and descriptors there',
  proof = '/proc/self/status is read; it has one number for this process where it is of our '
    .. 'namespace',
  missing = 'no run starts: bwrap finds no process of its own, and would never end',
  judge = function(seen)
    local problem = seen.problems.proc
    if problem then return 'missing', problem.message, problem.kind end
    return 'ok', '/proc shows our own processes'
  end,
  remedies = {
    { where = { 'bwrap' }, does = 'give the outer bwrap a /proc of its own',
      commands = { 'bwrap ... --proc /proc ...' }, tried = 'bubblewrap 0.8' },
    { does = 'mount one; an outer bwrap takes --proc /proc for it',
      commands = { 'mount -t proc proc /proc' }, tried = 'Linux 6.18, bubblewrap 0.8' },
  },
  examples = {
    { seen = { problems = {} }, status = 'ok', says = 'our own processes' },
    { seen = { problems = { proc = { kind = 'foreign_proc', message = '/proc is of others' } } },
      status = 'missing', says = 'of others', cause = 'foreign_proc' },
  },
}
