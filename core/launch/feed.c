/* Ours is one page: it can be written only when it is empty, so what is in both is one piece. */
#include "launch/feed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "launch/nowait.h"

/* How often we ask for a pipe that another run has: seconds. */
#define ASK_AGAIN 0.02

bool cf_feed_is_wanted(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

void cf_feed_start(struct cf_feed *feed, int from, int to)
{
    *feed = (struct cf_feed)CF_FEED_NONE;
    feed->to = to;
    if (to < 0)
        return;
    int flags = fcntl(from, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY) {
        cf_feed_end(feed);
        return;
    }
    feed->own = cf_nowait_open(from, O_RDONLY);
    feed->from = feed->own >= 0 ? feed->own : from;
}

struct pollfd cf_feed_wants(const struct cf_feed *feed, double time)
{
    if (feed->to < 0 || time < feed->again_at)
        return (struct pollfd){ .fd = -1 };
    if (feed->full)
        return (struct pollfd){ .fd = feed->to, .events = POLLOUT };
    return (struct pollfd){ .fd = feed->from, .events = POLLIN };
}

/* They are there, unless somebody else than a run reads the same pipe. */
static void take_out(struct cf_feed *feed, size_t len)
{
    char data[PIPE_BUF];
    ssize_t got = 1;
    for (; len > 0 && got > 0; len -= got > 0 ? (size_t)got : 0)
        got = cf_nowait_read(feed->from, data, len < sizeof data ? len : sizeof data);
}

/* Takes out what was read of what is lent. */
static void settle(struct cf_feed *feed, bool last)
{
    int left = 0;
    if (feed->lent > 0 && ioctl(feed->to, FIONREAD, &left) == 0 && (size_t)left < feed->lent) {
        take_out(feed, feed->lent - (size_t)left);
        feed->lent = (size_t)left;
    }
    /* The command has enlarged the pipe: of one page it would not be writable yet. */
    if (left > 0 && !last && fcntl(feed->to, F_SETPIPE_SZ, PIPE_BUF) >= 0)
        return;
    feed->lent = 0;
    feed->full = false;
    if (feed->own >= 0)
        flock(feed->own, LOCK_UN);
}

static void lend(struct cf_feed *feed, double time)
{
    /* The lock is the pipe's, and ours by a descriptor that nobody shares. */
    if (feed->own >= 0 && flock(feed->own, LOCK_EX | LOCK_NB) < 0) {
        feed->again_at = time + ASK_AGAIN;
        return;
    }
    ssize_t got = tee(feed->from, feed->to, PIPE_BUF, SPLICE_F_NONBLOCK);
    if (got > 0)
        feed->lent = (size_t)got;
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        feed->full = true;
    else
        cf_feed_end(feed);
}

void cf_feed_step(struct cf_feed *feed, short revents, double time)
{
    if (feed->to < 0 || revents == 0)
        return;
    if (!feed->full)
        lend(feed, time);
    else if ((revents & POLLERR) != 0)
        cf_feed_end(feed);
    else
        settle(feed, false);
}

void cf_feed_end(struct cf_feed *feed)
{
    if (feed->to >= 0)
        settle(feed, true);
    cf_close_fd(&feed->own);
    cf_close_fd(&feed->to);
}
