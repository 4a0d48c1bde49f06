/* One buffer each: it is read when empty and written in pieces, of which none is waited for. */
#include "launch/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/fds.h"
#include "launch/nowait.h"

void cf_relay_start(struct cf_relay *relay, int from, int to, struct cf_bytes *keep)
{
    relay->from = from;
    relay->to = keep == NULL ? to : -1;
    relay->own = keep == NULL && from >= 0 ? cf_nowait_open(to, O_WRONLY) : -1;
    if (relay->own >= 0)
        relay->to = relay->own;
    relay->keep = keep;
    relay->at = relay->len = 0;
    if (from >= 0)
        fcntl(from, F_SETFL, O_NONBLOCK);
}

bool cf_relay_is_done(const struct cf_relay *relay)
{
    return relay->from < 0 && relay->at == relay->len;
}

struct pollfd cf_relay_wants(const struct cf_relay *relay)
{
    if (relay->at < relay->len)
        return (struct pollfd){ .fd = relay->to, .events = POLLOUT };
    return (struct pollfd){ .fd = relay->from, .events = POLLIN };
}

struct pollfd cf_relay_watches(const struct cf_relay *relay)
{
    bool idle = relay->from >= 0 && relay->at == relay->len;
    return (struct pollfd){ .fd = idle ? relay->to : -1 };
}

void cf_relay_forsake(struct cf_relay *relay, short revents)
{
    if (revents != 0)
        cf_relay_drop(relay);
}

void cf_relay_drop(struct cf_relay *relay)
{
    cf_close_fd(&relay->from);
    relay->at = relay->len = 0;
}

void cf_relay_end(struct cf_relay *relay)
{
    cf_relay_drop(relay);
    cf_close_fd(&relay->own);
}

static void write_some(struct cf_relay *relay, struct cf_budget *budget)
{
    /* What is not ours to set O_NONBLOCK on for good takes so much without waiting. */
    size_t most = relay->own >= 0 ? sizeof relay->data : PIPE_BUF;
    size_t piece = relay->len - relay->at < most ? relay->len - relay->at : most;
    ssize_t put = cf_nowait_write(relay->to, relay->data + relay->at, piece);
    if (put >= 0) {
        relay->at += (size_t)put;
    } else if (errno != EINTR && errno != EAGAIN) {
        if (errno != EPIPE && budget->lost == 0)
            budget->lost = errno;
        cf_relay_drop(relay);
    }
}

/* How much of the bytes that came in may go on. */
static size_t spend(struct cf_budget *budget, size_t len)
{
    if (budget->left < 0)
        return len;
    if ((long long)len > budget->left) {
        budget->truncated = true;
        len = (size_t)budget->left;
    }
    budget->left -= (long long)len;
    return len;
}

static void read_some(struct cf_relay *relay, bool last, struct cf_budget *budget)
{
    ssize_t got = read(relay->from, relay->data, sizeof relay->data);
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && !last)))
        return;
    if (got <= 0) {
        cf_close_fd(&relay->from);
        return;
    }
    size_t len = spend(budget, (size_t)got);
    if (relay->keep == NULL) {
        relay->at = 0;
        relay->len = len;
    } else if (cf_bytes_append(relay->keep, relay->data, len, NULL) < 0) {
        budget->truncated = true;
    }
}

void cf_relay_step(struct cf_relay *relay, short revents, bool last, struct cf_budget *budget)
{
    if (cf_relay_is_done(relay) || (revents == 0 && !last))
        return;
    if (relay->at < relay->len) {
        if (revents != 0)
            write_some(relay, budget);
    } else {
        read_some(relay, last, budget);
    }
}
