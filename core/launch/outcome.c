/* The kinds, told apart by what bwrap reported and how it ended. */
#include "launch/outcome.h"

#include <signal.h>
#include <sys/wait.h>

void cf_outcome_judge(struct cf_outcome *outcome, const struct cf_ending *ending,
                      const struct cf_bwrap_status *told)
{
    outcome->pid = told->child_pid;
    outcome->kind = CF_NOT_STARTED;
    if (ending->failed) {
        outcome->why = ending->failure;
    } else if (ending->timed_out) {
        outcome->kind = CF_TIMED_OUT;
    } else if (ending->limit != NULL) {
        outcome->kind = CF_LIMITED;
        outcome->limit = ending->limit;
    } else if (told->exit_code >= 0) {
        outcome->kind = CF_EXITED;
        outcome->code = told->exit_code;
        /* pid 1 turns a signal into 128+N, as a shell does; an exit status may say the same. */
        if (outcome->code > 128 && outcome->code - 128 <= SIGRTMAX)
            outcome->maybe_signal = outcome->code - 128;
    } else if (WIFSIGNALED(ending->status)) {
        outcome->kind = CF_SIGNALED;
        outcome->signal = WTERMSIG(ending->status);
        cf_fail(&outcome->why, 0, "bwrap was killed by signal %d", outcome->signal);
    } else {
        cf_fail(&outcome->why, 0,
                "bwrap ended with status %d before the command ran; what it said is on its "
                "standard error",
                WEXITSTATUS(ending->status));
    }
}

void cf_outcome_free(struct cf_outcome *outcome)
{
    cf_bytes_free(&outcome->out);
    cf_bytes_free(&outcome->err);
}
