/* O_NONBLOCK belongs to the open file, not to the descriptor, so an own one is wanted. */
#include "launch/nowait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

int cf_nowait_open(int fd, int access)
{
    struct stat st;
    int number;
    char link[40];
    if (fstat(fd, &st) < 0 || !(S_ISFIFO(st.st_mode) || isatty(fd)))
        return -1;
    /* The outer end of a pty cannot be opened again: that would make another pty. */
    if (ioctl(fd, TIOCGPTN, &number) == 0)
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return open(link, access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* Sets O_NONBLOCK and returns the flags to put back, or -1 where nothing is to be put back. */
static int borrow(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (flags & O_NONBLOCK) != 0)
        return -1;
    return fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -1 : flags;
}

static void give_back(int fd, int flags)
{
    int number = errno;
    if (flags >= 0)
        fcntl(fd, F_SETFL, flags);
    errno = number;
}

ssize_t cf_nowait_read(int fd, void *data, size_t len)
{
    ssize_t got = recv(fd, data, len, MSG_DONTWAIT);
    if (got >= 0 || errno != ENOTSOCK)
        return got;
    int flags = borrow(fd);
    got = read(fd, data, len);
    give_back(fd, flags);
    return got;
}

ssize_t cf_nowait_write(int fd, const void *data, size_t len)
{
    ssize_t put = send(fd, data, len, MSG_DONTWAIT);
    if (put >= 0 || errno != ENOTSOCK)
        return put;
    int flags = borrow(fd);
    put = write(fd, data, len);
    give_back(fd, flags);
    return put;
}
