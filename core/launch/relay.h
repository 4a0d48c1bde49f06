/*
 * Passes on or keeps what the command writes, up to a limit, without ever holding up the loop. Where
 * several runs write to one pipe or log their lines stay whole, as far as a write of up to
 * PIPE_BUF bytes can end with one.
 */
#ifndef CF_LAUNCH_RELAY_H
#define CF_LAUNCH_RELAY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"

struct cf_relay {
    int from;              /* owned, non-blocking; -1 once it ended */
    int to;                /* where it is written, or -1 with `keep` */
    int own;               /* owned: `to` opened again without waiting, or -1 */
    struct cf_bytes *keep; /* where it is kept, or NULL */
    size_t at;             /* data[at..len) is still to be written */
    size_t len;
    bool more; /* `data` was filled, and more is there to be read */
    int rest;  /* bytes still to be read once all that wrote is gone; -1 before */
    char data[16384];
};

/* What two relays share: bytes that may still pass, -1 for any number; and what became of it. */
struct cf_budget {
    long long left;
    bool truncated;
    int lost; /* errno of the first write that failed while somebody was there to read it, or 0 */
};

/*
 * Takes `from` over; -1 gives a relay that is done. keep NULL: written to `to`, be it a terminal
 * that is stopped or a pipe that another writer filled meanwhile. To be ended by cf_relay_end.
 */
void cf_relay_start(struct cf_relay *relay, int from, int to, struct cf_bytes *keep);

/* Nothing more will come out of it. */
bool cf_relay_is_done(const struct cf_relay *relay);

/* What to poll for; fd is -1 when done. */
struct pollfd cf_relay_wants(const struct cf_relay *relay);

/* What to watch while nothing is to be written: a pipe whose reader goes away. */
struct pollfd cf_relay_watches(const struct cf_relay *relay);

/* One step after poll said so of that: our end is closed, too. */
void cf_relay_forsake(struct cf_relay *relay, short revents);

/*
 * One step after poll said so. A reader that went away closes our end too, so that the command
 * gets the SIGPIPE it would have got without us; so does a disk that is full. With `last`,
 * nothing that writes is left: what is in the pipe then is all, whoever else was given its end.
 */
void cf_relay_step(struct cf_relay *relay, short revents, bool last, struct cf_budget *budget);

/* Closes and forgets what was not written. */
void cf_relay_drop(struct cf_relay *relay);

/* Closes what it owns. */
void cf_relay_end(struct cf_relay *relay);

#endif
