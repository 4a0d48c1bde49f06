/* Takes the signals a launcher passes on, and delivers them where the command can see them. */
#ifndef CF_LAUNCH_SIGNALS_H
#define CF_LAUNCH_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct cf_signals {
    int fd; /* a signalfd of what was taken; owned */
    sigset_t before;
    struct sigaction child;
    struct sigaction pipe;
};

/*
 * Blocks INT QUIT HUP TERM USR1 USR2 WINCH TSTP, unless they are ignored (nohup, a background
 * job), and lets them be read from fd. SIGPIPE is ignored and SIGCHLD reset if it was ignored,
 * because waitpid would find nothing. -1 with everything as it was.
 */
int cf_signals_take(struct cf_signals *signals, struct cf_error *err);

/* Puts back what cf_signals_take changed. */
void cf_signals_give_back(struct cf_signals *signals);

/* Where signals go. */
struct cf_target {
    pid_t child;  /* pid 1 inside, 0 while unknown */
    int child_fd; /* its pidfd, or -1 */
};

/* Who gets one: a terminal tells all of its foreground, whoever sends to us means one process. */
enum cf_reach { CF_TO_COMMAND, CF_TO_GROUP };

/*
 * Sends a signal to the command, which is the oldest child of pid 1, or to all of the process
 * group that pid 1 leads; where it leads none, because it shares our group, to the command too.
 * False while there is nobody to take it: pid 1 has no child until the mounts are done.
 */
bool cf_target_signal(const struct cf_target *target, enum cf_reach reach, int number);

#endif
