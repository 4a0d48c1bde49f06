--- Doctor: the seccomp program.

return {
  name = 'seccomp',
  guards = 'refuses io_uring, kernel keys, typing into the terminal, useless address families, '
    .. 'more user namespaces, mounts and 32-bit calls, in every run',
  proof = 'the program of a run is installed in a child, and io_uring is refused there',
  missing = 'no run starts: bwrap installs the program last, and does not go on without it',
  judge = function(seen)
    local proof = seen.guards.seccomp
    if not proof.available then return 'missing', proof.reason end
    return 'ok', 'the program of a run can be installed, and refuses'
  end,
  remedies = {
    { does = 'a kernel with CONFIG_SECCOMP_FILTER=y is needed',
      source = 'https://man7.org/linux/man-pages/man2/seccomp.2.html' },
  },
  examples = {
    { seen = { guards = { seccomp = { available = true } } }, status = 'ok', says = 'refuses' },
    { seen = { guards = { seccomp = { available = false, reason = 'install: no' } } },
      status = 'missing', says = 'install: no' },
  },
}
