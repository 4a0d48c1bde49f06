/* A short-lived child of our own: forked, given a deadline, always reaped. */
#ifndef CF_HOST_CHILD_H
#define CF_HOST_CHILD_H

#include <signal.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

struct cf_child {
    pid_t pid;
    int status;            /* as waitpid(2) gives it, after cf_child_wait */
    struct sigaction chld; /* how the caller treats SIGCHLD, put back at the end */
};

#define CF_CHILD_NONE                                                                          \
    {                                                                                          \
        .pid = 0                                                                               \
    }

/*
 * Forks. Returns 0 in the child (no blocked signals; default actions; only async-signal-safe
 * calls from there, and _exit), 1 in the parent, -1 with *err filled.
 */
int cf_child_fork(struct cf_child *child, struct cf_error *err);

/*
 * Waits at most `milliseconds` for its end, then kills it; reaps it in any case. 0 when it
 * ended by itself, -1 with ETIMEDOUT.
 */
int cf_child_wait(struct cf_child *child, int milliseconds, struct cf_error *err);

/*
 * Runs `program` with argv and an environment of its own, standard input from /dev/null, and
 * appends what it writes to standard output and error, at most `max` bytes, to *output. Waits
 * until it has ended, at most `milliseconds` in all. Returns the wait status, or -1 with *err
 * filled: it could not be started (the errno of exec), wrote more (EFBIG) or ran out of time
 * (ETIMEDOUT); it is dead by then.
 */
int cf_child_run(const char *program, const char *const *argv, const char *const *envp,
                 int milliseconds, size_t max, struct cf_bytes *output, struct cf_error *err);

#endif
