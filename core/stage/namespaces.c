/* unshare, the id maps and the propagation, in the one order the kernel takes them in. */
#include "stage/namespaces.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/fds.h"

static int write_file(const char *path, const char *text, struct cf_error *err)
{
    cf_autoclose int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return cf_fail(err, errno, "open %s", path);
    size_t len = strlen(text);
    ssize_t put = write(fd, text, len);
    if (put != (ssize_t)len)
        return cf_fail(err, put < 0 ? errno : EIO, "write %s", path);
    return 0;
}

int cf_namespaces_enter(struct cf_error *err)
{
    char uids[32], gids[32];
    snprintf(uids, sizeof uids, "%u %u 1", geteuid(), geteuid());
    snprintf(gids, sizeof gids, "%u %u 1", getegid(), getegid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return cf_fail(err, errno, "unshare a user and mount namespace");
    /* An unprivileged process may map its group only once setgroups is given up. */
    if (write_file("/proc/self/setgroups", "deny", err) < 0 ||
        write_file("/proc/self/uid_map", uids, err) < 0 ||
        write_file("/proc/self/gid_map", gids, err) < 0)
        return -1;
    /* The copies are slaves of the host's mounts: without this a later one would appear. */
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return cf_fail(err, errno, "make / private");
    return 0;
}
