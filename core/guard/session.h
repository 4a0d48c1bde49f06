/* A session keyring of the command's own: kernel keyrings are in no namespace. */
#ifndef CF_GUARD_SESSION_H
#define CF_GUARD_SESSION_H

#include "base/error.h"

/*
 * Proves in a child that cf_session_apply works here and that the user keyring cannot be found
 * through the keyring it joins. 0, or -1 with the reason in *err.
 */
int cf_session_available(struct cf_error *err);

/*
 * Joins a new, empty, anonymous session keyring; what was reachable through the caller's own
 * (pam_keyinit links the user keyring into it) no longer is. For the child between fork and
 * exec; the keyring is inherited. Also 0 where keyctl itself is not to be had (a kernel without
 * keyrings, an outer filter that refuses it): then no keyring is reachable either.
 * -1 with EDQUOT when the user has used up kernel.keys.maxkeys (200: so many runs at once); it
 * waits up to 0.2 s for room. Facts: keyctl_join_session_keyring(3), session-keyring(7).
 *
 * The user keyring has an id of its own (@u) that this does not take away: it resolves to another
 * keyring inside a user namespace (Linux 5.3), and the seccomp program refuses keyctl.
 */
int cf_session_apply(struct cf_error *err);

#endif
