/* Opens a report file without following links. */
#include "host/report.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"

int cf_report_open(const char *path, struct cf_error *err)
{
    /* Not yet emptied: whether it is a regular file is known only when it is open. */
    struct open_how how = {
        .flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        .mode = 0666,
        .resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
    };
    cf_autoclose int fd = (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
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
