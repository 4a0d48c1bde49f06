/* From what was seen of bwrap to what is said of the command. */
#ifndef CF_LAUNCH_OUTCOME_H
#define CF_LAUNCH_OUTCOME_H

#include "launch/bwrap_status.h"
#include "launch/launch.h"

/* What the loop saw. */
struct cf_ending {
    int status;        /* bwrap's, as waitpid gives it */
    bool timed_out;    /* the deadline came before the command's end was reported */
    const char *limit; /* what a hook said was lost, or NULL */
    bool failed;       /* bwrap was not executed: failure */
    struct cf_error failure;
};

/* Fills kind, code, signal, maybe_signal, pid and why. */
void cf_outcome_judge(struct cf_outcome *outcome, const struct cf_ending *ending,
                      const struct cf_bwrap_status *told);

#endif
