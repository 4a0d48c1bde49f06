/* Runs one command under bwrap, watches it to its end, and says how it ended. */
#ifndef CF_LAUNCH_LAUNCH_H
#define CF_LAUNCH_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

/* What `capture` keeps of both streams together when no output limit was given. */
#define CF_CAPTURE_MAX ((long long)64 << 20)

/* Where the stage and the guards come in; each may be NULL. */
struct cf_launch_hooks {
    void *context;
    /*
     * In the child just before bwrap is executed, when every descriptor above 2 is already
     * CLOEXEC. Only async-signal-safe calls. -1 with *err filled: bwrap is not executed and the
     * outcome is not_started.
     */
    int (*prepare)(void *context, struct cf_error *err);
    /*
     * In shared memory: the process id of a sibling that prepare started (CLONE_PARENT), 0 for
     * none. It is not ended with the sandbox: it has ten seconds to end by itself.
     */
    const int32_t *keeper;
    /* In the launcher once bwrap is executed: a descriptor to watch, or -1. Not taken over. */
    int (*watch)(void *context);
    /* When that becomes readable: NULL if all is well, else what was lost; the run is ended then
     * as `limited` by that name. */
    const char *(*lost)(void *context);
    /* In the launcher, once, when the run has lasted 50 ms: for work that a short one is spared. */
    void (*settled)(void *context);
};

struct cf_launch {
    const char *bwrap;          /* absolute path */
    const char *const *args;    /* bwrap's options, NULL-terminated; they stand in no argv */
    const char *const *command; /* NULL-terminated, at least one word */
    const char *const *env;     /* "NAME=value", NULL-terminated: all that bwrap itself gets */
    const char *cwd;            /* of bwrap, or NULL for ours */
    double timeout;             /* seconds of wall time, 0 for none */
    double grace;               /* seconds between SIGTERM and the end, at the deadline */
    bool inherit_tty;           /* keep our terminal and process group, else a new session */
    bool capture;               /* keep what the command writes, instead of passing it on */
    long long output;           /* bytes of stdout and stderr together, -1 for no limit */
    int fds[3];                 /* ours that become the command's 0, 1, 2; -1 for /dev/null;
                                 * a pipe as 0 is read by us, and a terminal without inherit_tty */
    bool relay[2];              /* 1 and 2 are written by us, from a pipe; with `capture` or
                                 * `output` both are, whatever stands here */
    struct cf_launch_hooks hooks;
};

enum cf_outcome_kind {
    CF_EXITED,      /* code; maybe_signal when bwrap cannot tell it from a signal's */
    CF_SIGNALED,    /* signal: bwrap itself was killed by it, and the command with it */
    CF_TIMED_OUT,   /* the deadline came first */
    CF_LIMITED,     /* limit: what hooks.lost named */
    CF_NOT_STARTED, /* the command never ran: why */
};

struct cf_outcome {
    enum cf_outcome_kind kind;
    int code;
    int signal;
    int maybe_signal; /* N when code is 128+N, else 0 */
    const char *limit;
    pid_t pid;           /* of pid 1 inside, as we see it; 0 when there was none */
    double seconds;      /* from the call to the end */
    bool truncated;      /* the output limit cut something off */
    int lost;            /* errno of a write of output that failed, 0 for none */
    struct cf_bytes out; /* with capture */
    struct cf_bytes err;
    struct cf_error why;
};

/*
 * Executes `bwrap --args FD -- COMMAND...` and returns when it, the command and everything the
 * command started are gone. bwrap gets --die-with-parent, --json-status-fd, and --new-session
 * unless inherit_tty, before args. Should this process die at any moment, all of them are ended.
 *
 * Meanwhile INT QUIT HUP TERM USR1 USR2 WINCH that this process is sent go to the command alone,
 * as they would without us; those of the terminal go to the command's process group. What this
 * process ignored before is not passed on. TSTP stops the same ones and this process, and they go
 * on together. With inherit_tty the terminal's own signals are left to the terminal.
 * SIGCHLD, if ignored, is reset to its default; every other disposition and the mask are put back.
 *
 * Always fills *outcome, to be released with cf_outcome_free. Needs pidfd_open (Linux 5.3).
 */
void cf_launch_run(const struct cf_launch *launch, struct cf_outcome *outcome);

void cf_outcome_free(struct cf_outcome *outcome);

#endif
