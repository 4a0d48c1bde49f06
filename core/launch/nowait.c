/* O_NONBLOCK belongs to the open file, not to the descriptor, so an own one is wanted. */
#include "launch/nowait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

int cf_nowait_open(int fd, int access)
{
    struct stat st;
    int number;
    char link[40];
    if (fstat(fd, &st) < 0 || !(S_ISFIFO(st.st_mode) || isatty(fd)))
        return -1;
    /* What fd may not do is not ours to do with it. */
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || ((flags & O_ACCMODE) != O_RDWR && (flags & O_ACCMODE) != access))
        return -1;
    /* The outer end of a pty cannot be opened again: that would make another pty. */
    if (ioctl(fd, TIOCGPTN, &number) == 0)
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return open(link, access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* What a wish not to wait needs: nothing more, one for this call, or a flag of the open file. */
enum way { READY, BY_CALL, BY_FLAG };

static enum way way_of(int fd, int flags)
{
    struct stat st;
    if (flags < 0 || (flags & O_NONBLOCK) != 0)
        return READY;
    return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode) ? BY_CALL : BY_FLAG;
}

static void give_back(int fd, int flags)
{
    int number = errno;
    fcntl(fd, F_SETFL, flags);
    errno = number;
}

ssize_t cf_nowait_read(int fd, void *data, size_t len)
{
    ssize_t got = recv(fd, data, len, MSG_DONTWAIT);
    if (got >= 0 || errno != ENOTSOCK)
        return got;
    int flags = fcntl(fd, F_GETFL);
    enum way way = way_of(fd, flags);
    if (way == BY_CALL) {
        struct iovec piece = { data, len };
        got = preadv2(fd, &piece, 1, -1, RWF_NOWAIT);
        if (got >= 0 || errno != EOPNOTSUPP)
            return got;
    }
    if (way == READY || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return read(fd, data, len);
    got = read(fd, data, len);
    give_back(fd, flags);
    return got;
}

ssize_t cf_nowait_write(int fd, const void *data, size_t len)
{
    ssize_t put = send(fd, data, len, MSG_DONTWAIT);
    if (put >= 0 || errno != ENOTSOCK)
        return put;
    int flags = fcntl(fd, F_GETFL);
    enum way way = way_of(fd, flags);
    if (way == BY_CALL) {
        struct iovec piece = { (void *)(uintptr_t)data, len };
        put = pwritev2(fd, &piece, 1, -1, RWF_NOWAIT);
        if (put >= 0 || errno != EOPNOTSUPP)
            return put;
    }
    if (way == READY || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
        return write(fd, data, len);
    put = write(fd, data, len);
    give_back(fd, flags);
    return put;
}
