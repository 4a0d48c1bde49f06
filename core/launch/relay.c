/* One buffer each: it is read when empty and written in pieces, of which none is waited for. */
#include "launch/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
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
    relay->more = false;
    relay->rest = -1;
    if (from >= 0)
        fcntl(from, F_SETFL, O_NONBLOCK);
}

bool cf_relay_is_done(const struct cf_relay *relay)
{
    return relay->from < 0 && relay->at == relay->len;
}

/*
 * How much to write at once: whole lines, of which others see none cut in two (pipe(7)), else what
 * there is. 0 where the end of a line may come with the next read.
 */
static size_t next_piece(const struct cf_relay *relay)
{
    const char *data = relay->data + relay->at;
    size_t len = relay->len - relay->at;
    size_t most = len < PIPE_BUF ? len : PIPE_BUF;
    const char *line = memrchr(data, '\n', most);
    if (line != NULL)
        return (size_t)(line - data) + 1;
    return len < PIPE_BUF && relay->more && relay->from >= 0 ? 0 : most;
}

struct pollfd cf_relay_wants(const struct cf_relay *relay)
{
    if (next_piece(relay) > 0)
        return (struct pollfd){ .fd = relay->to, .events = POLLOUT };
    return (struct pollfd){ .fd = relay->from, .events = POLLIN };
}

struct pollfd cf_relay_watches(const struct cf_relay *relay)
{
    bool idle = relay->from >= 0 && next_piece(relay) == 0;
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
    size_t piece = next_piece(relay);
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

static int waiting_in(int fd)
{
    int waiting = 0;
    return ioctl(fd, FIONREAD, &waiting) == 0 ? waiting : 0;
}

static void read_some(struct cf_relay *relay, bool last, struct cf_budget *budget)
{
    /* What is left of a line comes first. */
    memmove(relay->data, relay->data + relay->at, relay->len - relay->at);
    relay->len -= relay->at;
    relay->at = 0;
    size_t room = sizeof relay->data - relay->len;
    if (last && relay->rest < 0)
        relay->rest = waiting_in(relay->from);
    if (last && room > (size_t)relay->rest)
        room = (size_t)relay->rest;
    ssize_t got = read(relay->from, relay->data + relay->len, room);
    relay->rest -= last && got > 0 ? (int)got : 0;
    relay->more = got > 0 && relay->len + (size_t)got == sizeof relay->data &&
                  (last ? relay->rest : waiting_in(relay->from)) > 0;
    if (got < 0 && (errno == EINTR || (errno == EAGAIN && !last)))
        return;
    if (got <= 0) {
        cf_close_fd(&relay->from);
        return;
    }
    size_t len = spend(budget, (size_t)got);
    if (relay->keep == NULL) {
        relay->len += len;
    } else if (cf_bytes_append(relay->keep, relay->data, len, NULL) < 0) {
        budget->truncated = true;
    }
}

void cf_relay_step(struct cf_relay *relay, short revents, bool last, struct cf_budget *budget)
{
    if (cf_relay_is_done(relay) || (revents == 0 && !last))
        return;
    if (next_piece(relay) == 0)
        read_some(relay, last, budget);
    else if (revents != 0)
        write_some(relay, budget);
}
