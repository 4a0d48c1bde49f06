/* All attempts by name, and how one of them is made so that it always leaves a verdict. */
#ifndef CF_PROBE_ATTEMPTS_H
#define CF_PROBE_ATTEMPTS_H

#include "probe.h"

/* The attempt of that name, or NULL. */
const struct cf_attempt *cf_attempt_find(const char *name);

/* Prints each attempt: name, arguments, class, what it means when it is reached; tabs between. */
void cf_attempts_list(void);

/*
 * Makes an attempt in a child of its own and fills *finding, also when the child is killed. The
 * number of arguments must be one that the attempt takes.
 */
void cf_attempt_make(const struct cf_attempt *attempt, char **args, int count,
                     struct cf_finding *finding);

#endif
