/* The guards of one run together: prepared before the fork, applied in it around the stage. */
#ifndef CF_GUARD_GUARDS_H
#define CF_GUARD_GUARDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "guard/cgroup.h"
#include "guard/rlimits.h"
#include "guard/seccomp.h"

struct cf_guards_wishes {
    bool keyring;                   /* a fresh session keyring */
    uint64_t scopes;                /* CF_SCOPE_ flags of guard/landlock.h, 0 for no domain */
    bool filter;                    /* the seccomp program */
    struct cf_seccomp_wishes calls; /* what it lets through */
    struct cf_rlimits rlimits;
    struct cf_cgroup_limits limits; /* a control group when one of them is not 0 */
};

struct cf_guards {
    bool keyring;
    struct cf_rlimits rlimits;
    int ruleset; /* of Landlock, -1 for none */
    int program; /* of seccomp, -1 for none: the number that bwrap's --seccomp must name */
    struct cf_cgroup group;
};

#define CF_GUARDS_NONE                                                                         \
    {                                                                                          \
        .rlimits = CF_RLIMITS_NONE, .ruleset = -1, .program = -1, .group = CF_CGROUP_CLOSED,   \
    }

/* Makes all that can only be made before the fork. -1 with *err filled: nothing is held. */
int cf_guards_prepare(const struct cf_guards_wishes *wishes, struct cf_guards *guards,
                      struct cf_error *err);

/*
 * In the child, before the stage: control group, keyring, core dumps and limits, Landlock.
 * -1 with *err filled: do not go on.
 */
int cf_guards_enter(const struct cf_guards *guards, struct cf_error *err);

/* In the child, after the stage and last before exec: the limit of tasks, which counts for this
 * run alone only in a user namespace; and the program is kept open for bwrap. */
int cf_guards_seal(const struct cf_guards *guards, struct cf_error *err);

/*
 * Both, where there is no stage; has the shape of cf_launch's prepare.
 * context: a struct cf_guards.
 */
int cf_guards_apply(void *context, struct cf_error *err);

/* Afterwards: ends the control group and closes everything. *met_memory and *met_tasks say which
 * of its limits were met. -1 when the group could not be removed; nothing is held in any case. */
int cf_guards_finish(struct cf_guards *guards, bool *met_memory, bool *met_tasks,
                     struct cf_error *err);

#endif
