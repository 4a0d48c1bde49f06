/* Forks, captures and reaps; a caller that ignores SIGCHLD would otherwise lose the status. */
#include "host/child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/dispositions.h"
#include "base/fds.h"

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int left_ms(int64_t deadline)
{
    int64_t left = deadline - now_ms();
    return left < 0 ? 0 : left > INT32_MAX ? INT32_MAX : (int)left;
}

static bool reaps_itself(const struct sigaction *chld)
{
    return chld->sa_handler == SIG_IGN || (chld->sa_flags & SA_NOCLDWAIT) != 0;
}

int cf_child_fork(struct cf_child *child, struct cf_error *err)
{
    /* With SIGCHLD ignored, which is inherited, the kernel reaps and waitpid answers ECHILD. */
    struct sigaction action = { .sa_handler = SIG_DFL };
    sigaction(SIGCHLD, NULL, &child->chld);
    if (reaps_itself(&child->chld))
        sigaction(SIGCHLD, &action, NULL);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    child->pid = fork();
    if (child->pid == 0) {
        cf_dispositions_reset();
        return 0;
    }
    int number = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child->pid > 0)
        return 1;
    sigaction(SIGCHLD, &child->chld, NULL);
    return cf_fail(err, number, "fork");
}

int cf_child_wait(struct cf_child *child, int milliseconds, struct cf_error *err)
{
    cf_autoclose int fd = (int)syscall(SYS_pidfd_open, child->pid, 0);
    struct pollfd end = { .fd = fd, .events = POLLIN };
    int64_t deadline = now_ms() + milliseconds;
    int ready;
    /* Without a pidfd (kernel before 5.3) there is no deadline: poll ignores a negative fd. */
    do
        ready = fd < 0 ? 1 : poll(&end, 1, left_ms(deadline));
    while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        kill(child->pid, SIGKILL);
    pid_t reaped;
    do
        reaped = waitpid(child->pid, &child->status, 0);
    while (reaped < 0 && errno == EINTR);
    int number = errno;
    if (reaps_itself(&child->chld))
        sigaction(SIGCHLD, &child->chld, NULL);
    if (reaped < 0)
        return cf_fail(err, number, "wait for a child");
    if (ready <= 0)
        return cf_fail(err, ETIMEDOUT, "wait for a child");
    return 0;
}

struct refusal {
    char operation[16];
    int number;
};

/* In the child. The reason of a failure goes through the pipe that exec would close. */
static void become(const char *program, const char *const *argv, const char *const *envp,
                   int output, int failure)
{
    int null = open("/dev/null", O_RDONLY);
    /* What the caller inherited without CLOEXEC is no business of the program's. */
    syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC);
    struct refusal refusal = { "prepare", 0 };
    if (null >= 0 && dup2(null, 0) == 0 && dup2(output, 1) == 1 && dup2(output, 2) == 2) {
        execve(program, (char *const *)argv, (char *const *)envp);
        strcpy(refusal.operation, "execute");
    }
    refusal.number = errno;
    ssize_t told = write(failure, &refusal, sizeof refusal);
    _exit(told == sizeof refusal ? 127 : 126);
}

static int read_output(int from, int64_t deadline, size_t max, struct cf_bytes *output,
                       struct cf_error *err)
{
    size_t start = output->len;
    for (;;) {
        struct pollfd ready = { .fd = from, .events = POLLIN };
        int polled = poll(&ready, 1, left_ms(deadline));
        if (polled < 0 && errno == EINTR)
            continue;
        if (polled <= 0)
            return cf_fail(err, polled == 0 ? ETIMEDOUT : errno, "wait for output");
        if (cf_bytes_reserve(output, 4096, err) < 0)
            return -1;
        ssize_t got = read(from, output->data + output->len, 4096);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cf_fail(err, errno, "read output");
        if (got == 0)
            return 0;
        output->len += (size_t)got;
        output->data[output->len] = '\0';
        if (output->len - start > max)
            return cf_fail(err, EFBIG, "read output: more than %zu bytes", max);
    }
}

int cf_child_run(const char *program, const char *const *argv, const char *const *envp,
                 int milliseconds, size_t max, struct cf_bytes *output, struct cf_error *err)
{
    int64_t deadline = now_ms() + milliseconds;
    int ends[4];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return cf_fail(err, errno, "open a pipe");
    cf_autoclose int from = ends[0];
    cf_autoclose int to = ends[1];
    if (pipe2(ends + 2, O_CLOEXEC) < 0)
        return cf_fail(err, errno, "open a pipe");
    cf_autoclose int failed = ends[2];
    cf_autoclose int failure = ends[3];

    struct cf_child child = CF_CHILD_NONE;
    struct cf_error why;
    int forked = cf_child_fork(&child, err);
    if (forked < 0)
        return -1;
    if (forked == 0)
        become(program, argv, envp, to, failure);
    cf_close_fd(&to);
    cf_close_fd(&failure);
    int done = read_output(from, deadline, max, output, &why);
    if (done < 0)
        kill(child.pid, SIGKILL);
    int waited = cf_child_wait(&child, left_ms(deadline), done < 0 ? NULL : &why);
    struct refusal refusal;
    if (read(failed, &refusal, sizeof refusal) == sizeof refusal)
        return cf_fail(err, refusal.number, "%s %s", refusal.operation, program);
    if (done < 0 || waited < 0)
        return cf_fail(err, why.number, "run %s", program);
    return child.status;
}
