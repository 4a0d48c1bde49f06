/* Runs something in a child and brings back how it went: a guard is proved by using it once. */
#ifndef CF_GUARD_TRIAL_H
#define CF_GUARD_TRIAL_H

#include "base/error.h"

/*
 * Forks, calls attempt(arg, err) in the child and waits for it. Returns what the attempt
 * returned, with the child's error in *err; -1 with "... ended by signal N" when it was killed.
 * `what` names the attempt in that message. What the attempt changes (credentials, limits,
 * namespaces) ends with the child; memory it writes is not seen here unless it is shared.
 */
int cf_trial_run(const char *what, int (*attempt)(void *arg, struct cf_error *err), void *arg,
                 struct cf_error *err);

#endif
