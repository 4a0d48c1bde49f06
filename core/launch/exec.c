/* Turns a forked child into bwrap; only async-signal-safe calls. */
#include "launch/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/dispositions.h"
#include "guard/switch.h"
#include "launch/numbers.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/* Copies first, because a stream's source may be the place of another. */
static int place_streams(const int streams[3], struct cf_error *err)
{
    int copies[3];
    for (int at = 0; at < 3; at++) {
        if (streams[at] >= 0)
            copies[at] = fcntl(streams[at], F_DUPFD_CLOEXEC, 3);
        else
            copies[at] = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);
        if (copies[at] < 0)
            return cf_fail(err, errno, "take descriptor %d as the command's %d", streams[at],
                           at);
    }
    for (int at = 0; at < 3; at++)
        if (dup2(copies[at], at) < 0)
            return cf_fail(err, errno, "dup2 to %d", at);
    return 0;
}

static void mark_cloexec(int fd, void *context)
{
    (void)context;
    if (fd > 2)
        fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static int close_at_exec(const struct cf_warden *warden, struct cf_error *err)
{
    /* CLOSE_RANGE_CLOEXEC came with Linux 5.11; before, each one is found in /proc. */
    if (cf_guard_is_on("descriptors") &&
        syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) < 0 &&
        cf_numbers_each("/proc/self/fd", mark_cloexec, NULL) < 0)
        return cf_fail(err, errno, "close_range");
    if (fcntl(warden->args_fd, F_SETFD, 0) < 0 || fcntl(warden->status_fd, F_SETFD, 0) < 0)
        return cf_fail(err, errno, "keep the descriptors for bwrap");
    return 0;
}

void cf_exec_bwrap(const struct cf_warden *warden, pid_t parent, struct cf_error *err)
{
    const struct cf_launch *launch = warden->launch;
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) {
        cf_fail(err, errno, "prctl PR_SET_PDEATHSIG");
        return;
    }
    /* It may have died before the line above took effect. */
    if (getppid() != parent)
        _exit(1);
    cf_dispositions_reset();
    if (place_streams(warden->streams, err) < 0 || close_at_exec(warden, err) < 0)
        return;
    if (launch->cwd != NULL && chdir(launch->cwd) < 0) {
        cf_fail(err, errno, "chdir %s", launch->cwd);
        return;
    }
    const struct cf_launch_hooks *hooks = &launch->hooks;
    if (hooks->prepare != NULL && hooks->prepare(hooks->context, err) < 0)
        return;
    execve(launch->bwrap, (char *const *)(uintptr_t)warden->argv,
           (char *const *)(uintptr_t)launch->env);
    cf_fail(err, errno, "execute %s", launch->bwrap);
}
