/* Hands the caller's pipe on as the command's stdin, by a pipe that is no way back to it. */
#ifndef CF_LAUNCH_FEED_H
#define CF_LAUNCH_FEED_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A pipe can be opened again for writing through /proc/self/fd/0. A shell may be reading its
 * script from the same one, and would execute outside what the command wrote there. So the command
 * reads a pipe of ours, which holds one page at a time. What it has not read by its end is still
 * in the caller's pipe, as it would be without us: bytes are lent (tee(2)), and taken out of it
 * only once they were read. Of several runs that share the pipe one has bytes lent at a time.
 */
struct cf_feed {
    int from;    /* the caller's pipe */
    int own;     /* owned: `from` opened again without waiting, or -1 */
    int to;      /* owned: ours, or -1 when nothing more is passed on */
    bool full;   /* the command has not taken all of it yet */
    size_t lent; /* bytes that are in both */
    double
        again_at; /* another run has bytes of `from` lent, ask again then: in seconds; 0: none */
};

#define CF_FEED_NONE                                                                           \
    {                                                                                          \
        -1, -1, -1, false, 0, 0                                                                \
    }

/* Is fd a pipe or a FIFO? */
bool cf_feed_is_wanted(int fd);

/*
 * Takes `to` over, the writer's end of a pipe of one page; -1 gives one that passes on nothing. So
 * does a `from` that is open for writing only, from which the caller reads nothing either.
 */
void cf_feed_start(struct cf_feed *feed, int from, int to);

/* What to poll for at `time`; fd is -1 while there is nothing to wait for. */
struct pollfd cf_feed_wants(const struct cf_feed *feed, double time);

/* One step after poll said so. The end of the input closes our pipe. */
void cf_feed_step(struct cf_feed *feed, short revents, double time);

/* Takes out of the caller's pipe what the command has read, and closes what it owns. */
void cf_feed_end(struct cf_feed *feed);

#endif
