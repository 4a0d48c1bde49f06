--- Doctor: a session keyring of the run's own.

return {
  name = 'keyring',
  guards = "the kernel keys of the caller's session (tickets, mount keys) are not the command's",
  proof = 'a child joins a new session keyring, and finds nothing linked into it',
  missing = 'no run starts',
  judge = function(seen)
    local proof = seen.guards.session_keyring
    if proof.available then
      return 'ok', seen.exposed.keyrings and 'a fresh one can be had'
        or 'the kernel refuses keys to everybody here, so there is nothing to guard'
    end
    return 'missing', proof.reason,
      proof.reason:find('maxkeys', 1, true) and 'quota' or 'other'
  end,
  remedies = {
    { cause = { 'quota' }, does = 'raise how many keys a user may have',
      commands = { 'sysctl -w kernel.keys.maxkeys=2000' },
      source = 'https://man7.org/linux/man-pages/man7/keyrings.7.html' },
    { cause = { 'other' }, does = 'a filter that allows keyctl for some things and not for others '
      .. 'must allow KEYCTL_JOIN_SESSION_KEYRING, or refuse keyctl as a whole',
      source = 'https://man7.org/linux/man-pages/man7/session-keyring.7.html' },
  },
  examples = {
    { seen = { guards = { session_keyring = { available = true } }, exposed = { keyrings = true } },
      status = 'ok', says = 'a fresh one' },
    { seen = { guards = { session_keyring = { available = true } },
      exposed = { keyrings = false } }, status = 'ok', says = 'refuses keys' },
    { seen = { guards = { session_keyring = { available = false,
        reason = 'join: Disk quota exceeded (kernel.keys.maxkeys is used up)' } } },
      status = 'missing', says = 'join', cause = 'quota' },
  },
}
