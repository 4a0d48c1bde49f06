/* Starts the warden and holds our ends of everything that leads to it. */
#ifndef CF_LAUNCH_SPAWN_H
#define CF_LAUNCH_SPAWN_H

#include "launch/launch.h"

/* All owned; -1 where there is none. */
struct cf_spawned {
    pid_t warden;
    int warden_fd; /* a pidfd */
    int lifeline;  /* closing it ends the sandbox at once */
    int status;    /* bwrap's --json-status-fd, to be read */
    int failure;   /* a struct cf_error, or end of file once bwrap is executed */
    int out;       /* what the command writes to 1 and 2, when it does not go there itself */
    int err;       /* -1 also where `out` serves both */
    int input; /* leads to the command's 0, for a terminal or a pipe; not to be waited for */
};

#define CF_SPAWNED_NONE                                                                        \
    {                                                                                          \
        0, -1, -1, -1, -1, -1, -1, -1                                                          \
    }

/* -1 with *err filled when nothing was started. Signals of the caller's must be blocked. */
int cf_spawn(const struct cf_launch *launch, struct cf_spawned *spawned, struct cf_error *err);

/* Closes what is still open. */
void cf_spawned_close(struct cf_spawned *spawned);

#endif
