/* Opens a report file without following links. */
#include "host/report.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"

static int open_without_links(const char *path, uint64_t flags, uint64_t mode)
{
    struct open_how how = {
        .flags = flags | O_CLOEXEC,
        .mode = mode,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

int cf_report_open(const char *path, struct cf_error *err)
{
    /* Not yet emptied: whether it is a regular file is known only when it is open. */
    cf_autoclose int fd =
        open_without_links(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_NOCTTY, 0666);
    if (fd < 0)
        return cf_fail(err, errno, "open %s without following links", path);
    struct stat about;
    if (fstat(fd, &about) < 0)
        return cf_fail(err, errno, "stat %s", path);
    if (!S_ISREG(about.st_mode))
        return cf_fail(err, EINVAL, "%s is no regular file", path);
    if (ftruncate(fd, 0) < 0)
        return cf_fail(err, errno, "empty %s", path);
    return cf_take_fd(&fd);
}

int cf_report_end(int fd, long length, const char *path, struct cf_error *err)
{
    struct stat ours, there;
    if (length < 0 || ftruncate(fd, length) < 0 || fstat(fd, &ours) < 0)
        return cf_fail(err, errno, "end %s", path);
    cf_autoclose int at = open_without_links(path, O_PATH, 0);
    if (at < 0 || fstat(at, &there) < 0 || there.st_dev != ours.st_dev ||
        there.st_ino != ours.st_ino)
        return cf_fail(err, ESTALE, "%s was replaced meanwhile", path);
    return 0;
}
