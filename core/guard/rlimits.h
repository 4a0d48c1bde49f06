/* Resource limits of the command and of all it starts, and core dumps that really are off. */
#ifndef CF_GUARD_RLIMITS_H
#define CF_GUARD_RLIMITS_H

#include <sys/resource.h>

#include "base/error.h"

/*
 * RLIM_INFINITY leaves a limit as it is; a limit is only ever lowered. What each can really do:
 * - files: open descriptors of each process. Below 32 bwrap itself may fail.
 * - data: bytes of private writable memory of each process (RLIMIT_DATA since Linux 4.7), not of
 *   all together. RLIMIT_AS is not used: Node and Java reserve far more than they use and do not
 *   start with 1 GiB of it (measured), while reservations do not count as data.
 * - processes: tasks of the command, threads included. Counted for the user as a whole, unless
 *   the child is in a user namespace of its own already (the stage): then for this run alone.
 *   Without any effect for uid 0, whom the kernel exempts.
 */
struct cf_rlimits {
    rlim_t files, data, processes;
};

#define CF_RLIMITS_NONE                                                                        \
    {                                                                                          \
        RLIM_INFINITY, RLIM_INFINITY, RLIM_INFINITY                                            \
    }

/*
 * Turns core dumps off and applies `files` and `data`, hard and soft; for the child between fork
 * and exec, before it enters a user namespace, where even uid 0 can raise no hard limit.
 * 0, or -1 with *err filled.
 */
int cf_rlimits_apply(const struct cf_rlimits *limits, struct cf_error *err);

/* Applies `processes`: the last thing before exec, inside the user namespace if there is one. */
int cf_rlimits_apply_processes(const struct cf_rlimits *limits, struct cf_error *err);

/* Proves in a child that core dumps are off and that limits are lowered. */
int cf_rlimits_available(struct cf_error *err);

/*
 * Whether a crash inside can reach a program outside. 0 when core dumps are off; -1 with the
 * reason when kernel.core_pattern names a socket (Linux 6.16), which no limit keeps from being
 * used, or cannot be read.
 */
int cf_rlimits_cores_off(struct cf_error *err);

#endif
