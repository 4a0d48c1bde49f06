/* Asks the kernel what it is and tries, in a child, what it allows. */
#include "host/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/child.h"

int cf_kernel_read(struct cf_kernel *kernel, struct cf_error *err)
{
    struct utsname name;
    if (uname(&name) < 0)
        return cf_fail(err, errno, "uname");
    snprintf(kernel->release, sizeof kernel->release, "%s", name.release);
    snprintf(kernel->machine, sizeof kernel->machine, "%s", name.machine);
    long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    kernel->landlock = abi > 0 ? (int)abi : 0;
    return 0;
}

/* What the child tried, in order; `done` means that all of it worked. */
enum step { STEP_UNSHARE, STEP_SETGROUPS, STEP_UID_MAP, STEP_MOUNT, STEP_DONE };

struct report {
    enum step step;
    int number;
};

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t len = strlen(text);
    bool written = write(fd, text, len) == (ssize_t)len;
    cf_close_fd(&fd);
    return written;
}

/* In the child: only system calls. Ubuntu grants the namespace and then denies its use. */
static enum step try_steps(const char *uid_map)
{
    if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
        return STEP_UNSHARE;
    if (!write_text("/proc/self/setgroups", "deny"))
        return STEP_SETGROUPS;
    if (!write_text("/proc/self/uid_map", uid_map))
        return STEP_UID_MAP;
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        return STEP_MOUNT;
    return STEP_DONE;
}

int cf_kernel_try_userns(struct cf_error *err)
{
    static const char *const names[] = {
        [STEP_UNSHARE] = "unshare a user and mount namespace",
        [STEP_SETGROUPS] = "write /proc/self/setgroups",
        [STEP_UID_MAP] = "write /proc/self/uid_map",
        [STEP_MOUNT] = "make the mounts of a user namespace private",
    };
    char uid_map[40];
    snprintf(uid_map, sizeof uid_map, "%u %u 1", geteuid(), geteuid());
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return cf_fail(err, errno, "open a pipe");
    cf_autoclose int from = ends[0];
    cf_autoclose int to = ends[1];

    struct cf_child child = CF_CHILD_NONE;
    int forked = cf_child_fork(&child, err);
    if (forked < 0)
        return -1;
    if (forked == 0) {
        struct report report = { try_steps(uid_map), errno };
        _exit(write(to, &report, sizeof report) == sizeof report ? 0 : 1);
    }
    cf_close_fd(&to);
    struct report report;
    ssize_t got = TEMP_FAILURE_RETRY(read(from, &report, sizeof report));
    if (cf_child_wait(&child, 10000, err) < 0)
        return -1;
    if (got != sizeof report)
        return cf_fail(err, ECHILD, "try a user namespace");
    if (report.step == STEP_DONE)
        return 1;
    cf_fail(err, report.number, "%s", names[report.step]);
    return 0;
}
