--- Doctor: a seccomp listener.

return {
  name = 'seccomp_listener',
  guards = 'a supervised run can be asked about single calls, such as one connect',
  proof = 'a child makes a call, the listener is asked about it and answers',
  missing = 'no run of today uses one',
  judge = function(seen)
    local proof = seen.guards.seccomp_listener
    if proof.available then return 'ok', 'questions of a filter are answered' end
    return 'spare', proof.reason,
      proof.reason:find('busy', 1, true) and 'outer' or 'kernel'
  end,
  remedies = {
    { cause = { 'outer' }, does = 'a process has one listener at most: start this outside of the '
      .. 'sandbox that has it', tried = 'Linux 6.18' },
    { cause = { 'kernel' }, does = 'take a kernel of 5.0 or later',
      source = 'https://man7.org/linux/man-pages/man2/seccomp_unotify.2.html' },
  },
  examples = {
    { seen = { guards = { seccomp_listener = { available = true } } }, status = 'ok',
      says = 'answered' },
    { seen = { guards = { seccomp_listener = { available = false,
        reason = 'install: Device or resource busy' } } },
      status = 'spare', says = 'busy', cause = 'outer' },
  },
}
