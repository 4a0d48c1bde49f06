/* A filter that asks somebody outside about a system call, which a supervised run needs. */
#ifndef CF_GUARD_LISTENER_H
#define CF_GUARD_LISTENER_H

#include "base/error.h"

/*
 * Proves in a child that a seccomp listener can be had and answers a call. -1 with EBUSY where
 * an outer filter has a listener of its own: the kernel gives a process one at most.
 * Facts: seccomp_unotify(2).
 */
int cf_listener_available(struct cf_error *err);

#endif
