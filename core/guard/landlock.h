/* Landlock scopes: no connection to abstract sockets and no signal to processes outside. */
#ifndef CF_GUARD_LANDLOCK_H
#define CF_GUARD_LANDLOCK_H

#include <stdint.h>

#include "base/error.h"

enum {
    CF_SCOPE_ABSTRACT = 1, /* abstract names bound by processes outside answer EPERM */
    CF_SCOPE_SIGNAL = 2,   /* signals to processes outside answer EPERM */
};

/*
 * Makes the ruleset before the fork. scopes: the CF_SCOPE_ flags; all or nothing for abstract
 * names, so a run that is granted one leaves CF_SCOPE_ABSTRACT out. No file right is handled:
 * a domain that handles one may not mount, and bwrap must. Returns an owned descriptor, or -1
 * with *err filled: ENOSYS where there are no scopes (they need ABI 6, Linux 6.12).
 * Facts: landlock(7), the kernel's Documentation/userspace-api/landlock.rst.
 */
int cf_landlock_prepare(uint64_t scopes, struct cf_error *err);

/*
 * Puts the calling process under the ruleset for good; for the child between fork and exec.
 * Sets no_new_privs, which the kernel asks for: a bwrap that is setuid root is then an ordinary
 * program. Whoever is outside the domain (the launcher, the keeper) can still signal into it,
 * and inside everything works as before.
 */
int cf_landlock_apply(int ruleset, struct cf_error *err);

/* Proves both scopes in a child. */
int cf_landlock_available(struct cf_error *err);

#endif
