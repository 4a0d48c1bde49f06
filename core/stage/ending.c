/*
 * The sandbox is gone when its process 1 is: the kernel lets that end only after all others of
 * the pid namespace. bwrap itself ends earlier.
 */
#include "stage/ending.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/nsfs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/listing.h"

void cf_ending_poll(const struct cf_ending *ending, struct pollfd *fds)
{
    /* poll(2) passes over negative descriptors. */
    fds[0] = (struct pollfd){ .fd = ending->launcher, .events = POLLIN };
    fds[1] = (struct pollfd){ .fd = ending->runner, .events = POLLIN };
    fds[2] = (struct pollfd){ .fd = ending->info, .events = POLLIN };
    fds[3] = (struct pollfd){ .fd = ending->inner, .events = POLLIN };
}

/* bwrap writes all of it at once: {"child-pid": 123, ...}. */
static void read_info(struct cf_ending *ending)
{
    static const char key[] = "\"child-pid\":";
    char text[512];
    ssize_t got = read(ending->info, text, sizeof text - 1);
    if (got < 0)
        return;
    cf_close_fd(&ending->info);
    text[got] = '\0';
    const char *at = strstr(text, key);
    int pid = at == NULL ? 0 : atoi(at + sizeof key - 1);
    if (pid <= 0)
        return;
    ending->inner = pidfd_open(pid, 0);
    ending->known = ending->inner >= 0 || errno == ESRCH;
}

static void end(int *pidfd)
{
    if (*pidfd >= 0)
        pidfd_send_signal(*pidfd, SIGKILL, NULL, 0);
}

void cf_ending_force(struct cf_ending *ending)
{
    end(&ending->inner);
    /* Until bwrap has told of it, the process 1 inside is not known. */
    if (ending->inner < 0)
        end(&ending->runner);
}

bool cf_ending_take(struct cf_ending *ending, const struct pollfd *fds)
{
    if (fds[2].revents != 0)
        read_info(ending);
    if (fds[3].revents != 0)
        cf_close_fd(&ending->inner);
    /* bwrap's own death signal is not set yet when the launcher dies before bwrap starts. */
    if (fds[0].revents != 0) {
        end(&ending->runner);
        cf_close_fd(&ending->launcher);
    }
    if (fds[1].revents != 0) {
        cf_close_fd(&ending->runner);
        if (ending->info >= 0)
            read_info(ending);
        end(&ending->inner);
    }
    return ending->runner < 0 && ending->inner < 0;
}

struct sweep {
    int proc;
    struct stat ours;
    unsigned found;
};

static void sweep_process(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct sweep *sweep = ctx;
    int pid = atoi(name);
    char path[32];
    struct stat st;
    if (pid <= 0 || pid == getpid())
        return;
    cf_autoclose int pidfd = pidfd_open(pid, 0);
    snprintf(path, sizeof path, "%d/ns/user", pid);
    cf_autoclose int ns = openat(sweep->proc, path, O_RDONLY | O_CLOEXEC);
    /* One that is dead already may wait long to be reaped. */
    struct pollfd dead = { .fd = pidfd, .events = POLLIN };
    if (pidfd < 0 || ns < 0 || poll(&dead, 1, 0) != 0)
        return;
    /* A sandbox has a namespace below ours; a process of ours still between fork and exec of
     * bwrap is in ours itself. Anything deeper hangs on one that is found. */
    cf_autoclose int parent = ioctl(ns, NS_GET_PARENT);
    bool below = parent >= 0 && fstat(parent, &st) == 0 && st.st_ino == sweep->ours.st_ino &&
                 st.st_dev == sweep->ours.st_dev;
    bool same = fstat(ns, &st) == 0 && st.st_ino == sweep->ours.st_ino &&
                st.st_dev == sweep->ours.st_dev;
    if (!below && !same)
        return;
    sweep->found++;
    end(&pidfd);
}

void cf_ending_sweep(char *buffer, int size)
{
    struct sweep sweep = { .proc = -1 };
    cf_autoclose int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0 || stat("/proc/self/ns/user", &sweep.ours) < 0)
        return;
    sweep.proc = proc;
    for (int round = 0; round < 200; round++) {
        sweep.found = 0;
        if (cf_listing_each(proc, buffer, (size_t)size, sweep_process, &sweep) < 0 ||
            sweep.found == 0)
            return;
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
}
