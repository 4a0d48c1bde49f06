/* Bwrap's parent; after fork, so only async-signal-safe calls. */
#include "launch/warden.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/heap.h"
#include "launch/exec.h"
#include "launch/numbers.h"

/* A failure that cannot be told any more changes nothing: the launcher sees our end. */
static _Noreturn void give_up(int failure, const struct cf_error *err)
{
    cf_write_all(failure, err, sizeof *err, NULL);
    _exit(1);
}

static void close_unless_needed(int fd, void *context)
{
    const int *needed = context;
    if (fd != needed[0] && fd != needed[1])
        close(fd);
}

/* Also 0, 1 and 2: whoever reads what the command writes must see its end with the command. */
static void keep_only(int first, int second)
{
    int needed[2] = { first, second };
    cf_numbers_each("/proc/self/fd", close_unless_needed, needed);
}

/* Its signal is blocked, so it waits for us; a keeper that hangs must not hang the run. */
static bool wait_for_child(double seconds)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    struct timespec time = { .tv_sec = (time_t)seconds };
    return sigtimedwait(&child, NULL, &time) > 0 || errno == EINTR;
}

static void end_children(const int32_t *keeper)
{
    pid_t children[64];
    for (;;) {
        pid_t ended = waitpid(-1, NULL, WNOHANG);
        if (ended > 0 || (ended < 0 && errno == EINTR))
            continue;
        if (ended < 0)
            return;
        pid_t spared = keeper != NULL ? *keeper : 0;
        size_t count = cf_numbers_children(getpid(), children, 64);
        for (size_t at = 0; at < count; at++)
            if (children[at] != spared)
                kill(children[at], SIGKILL);
        if (count == 1 && children[0] == spared) {
            if (!wait_for_child(10))
                return;
        } else {
            waitpid(-1, NULL, 0);
        }
    }
}

static _Noreturn void exit_like(int status)
{
    if (WIFEXITED(status))
        _exit(WEXITSTATUS(status));
    int number = WTERMSIG(status);
    sigset_t all;
    prctl(PR_SET_DUMPABLE, 0);
    signal(number, SIG_DFL);
    sigfillset(&all);
    sigdelset(&all, number);
    raise(number);
    sigprocmask(SIG_SETMASK, &all, NULL);
    _exit(128 + number);
}

static _Noreturn void watch(const struct cf_warden *warden, pid_t bwrap, int bwrap_fd)
{
    struct pollfd polled[2] = { { .fd = bwrap_fd, .events = POLLIN },
                                { .fd = warden->lifeline, .events = POLLIN } };
    while (polled[0].revents == 0) {
        if (poll(polled, 2, -1) < 0)
            continue;
        if (polled[1].revents != 0 && polled[1].fd >= 0) {
            kill(bwrap, SIGKILL);
            polled[1].fd = -1;
        }
    }
    int status = 0;
    while (waitpid(bwrap, &status, 0) < 0 && errno == EINTR)
        ;
    end_children(warden->launch->hooks.keeper);
    exit_like(status);
}

_Noreturn void cf_warden_run(const struct cf_warden *warden)
{
    struct cf_error err;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    /* Without a terminal of its own, neither bwrap nor we can be stopped or killed by it. */
    if (!warden->launch->inherit_tty)
        setsid();
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) < 0) {
        cf_fail(&err, errno, "become a child subreaper");
        give_up(warden->failure, &err);
    }
    pid_t us = getpid();
    pid_t bwrap = fork();
    if (bwrap < 0) {
        cf_fail(&err, errno, "fork");
        give_up(warden->failure, &err);
    }
    if (bwrap == 0) {
        cf_exec_bwrap(warden, us, &err);
        give_up(warden->failure, &err);
    }
    int bwrap_fd = (int)syscall(SYS_pidfd_open, bwrap, 0);
    if (bwrap_fd < 0) {
        cf_fail(&err, errno, "pidfd_open");
        kill(bwrap, SIGKILL);
        end_children(NULL);
        give_up(warden->failure, &err);
    }
    keep_only(bwrap_fd, warden->lifeline);
    cf_heap_drop();
    watch(warden, bwrap, bwrap_fd);
}
