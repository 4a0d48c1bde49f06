/* How the keeper learns that the run is over, and makes sure that nothing of it goes on. */
#ifndef CF_STAGE_ENDING_H
#define CF_STAGE_ENDING_H

#include <poll.h>
#include <stdbool.h>

struct cf_ending {
    int launcher; /* pidfd; when it has gone, so must the run */
    int runner;   /* pidfd of the process that executes bwrap */
    int info;     /* what bwrap writes to --info-fd, -1 once read */
    int inner;    /* pidfd of process 1 of the sandbox, -1 while not known */
    bool known;   /* what process 1 of the sandbox is */
};

#define CF_ENDING_PLACES 4

/* Fills the first CF_ENDING_PLACES of `fds`. */
void cf_ending_poll(const struct cf_ending *ending, struct pollfd *fds);

/* Takes in what poll found; true when nothing of the run is left but what strays. */
bool cf_ending_take(struct cf_ending *ending, const struct pollfd *fds);

/* Kills the run: the sandbox, or bwrap while that is not known. */
void cf_ending_force(struct cf_ending *ending);

/*
 * Kills whatever lives in a user namespace below ours and waits for it, up to a second. For the
 * case that bwrap was killed before it could say what to wait for.
 */
void cf_ending_sweep(char *buffer, int size);

#endif
