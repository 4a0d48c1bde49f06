/* Makes pipes and arguments first, then forks, so that the child has nothing left to allocate. */
#include "launch/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/switch.h"
#include "launch/args.h"
#include "launch/feed.h"
#include "launch/warden.h"

static void free_argv(const char ***argv)
{
    free(*argv);
}

static int open_pipe(int *reader, int *writer, struct cf_error *err)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return cf_fail(err, errno, "pipe2");
    *reader = ends[0];
    *writer = ends[1];
    return 0;
}

/* Descriptors below 3 would be overwritten when the command's streams are put in place. */
static int check_streams(const struct cf_launch *launch, struct cf_error *err)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            return cf_fail(err, errno, "our own descriptor %d", fd);
    for (int at = 0; at <= 2; at++)
        if (launch->fds[at] >= 0 && fcntl(launch->fds[at], F_GETFD) < 0)
            return cf_fail(err, errno, "descriptor %d for the command's %d", launch->fds[at],
                           at);
    return 0;
}

/* Whether both outputs lead to one file, as after `>FILE 2>&1`. */
static bool is_one_file(int out, int error)
{
    struct stat first, second;
    int flags = fcntl(out, F_GETFL);
    return flags >= 0 && flags == fcntl(error, F_GETFL) && fstat(out, &first) == 0 &&
           fstat(error, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Leaves -1 where the command gets what it is given. */
static int open_outputs(const struct cf_launch *launch, struct cf_spawned *spawned, int *out,
                        int *error, struct cf_error *err)
{
    bool all = launch->capture || launch->output >= 0;
    bool relays_out = all || launch->relay[0], relays_error = all || launch->relay[1];
    if (relays_out && open_pipe(&spawned->out, out, err) < 0)
        return -1;
    if (!relays_error)
        return 0;
    /* Through two pipes they would lose their order. */
    if (launch->capture || !relays_out || !is_one_file(launch->fds[1], launch->fds[2]))
        return open_pipe(&spawned->err, error, err);
    *error = fcntl(*out, F_DUPFD_CLOEXEC, 3);
    return *error < 0 ? cf_fail(err, errno, "duplicate the output's pipe") : 0;
}

/*
 * A command without our terminal as its controlling one must not read it, nor have a pipe that
 * others read: see keyboard.h, feed.h.
 */
static int open_input(const struct cf_launch *launch, struct cf_spawned *spawned, int *input,
                      struct cf_error *err)
{
    int given = launch->fds[0];
    if (given < 0 || !cf_guard_is_on("stdin") ||
        !(cf_feed_is_wanted(given) || (!launch->inherit_tty && isatty(given))))
        return 0;
    if (open_pipe(input, &spawned->input, err) < 0)
        return -1;
    /*
     * With one page it can be written only when it is empty, and then takes PIPE_BUF bytes. The
     * command that opens it again for writing would wait for itself.
     */
    if (fcntl(spawned->input, F_SETPIPE_SZ, PIPE_BUF) < 0 ||
        fcntl(spawned->input, F_SETFL, O_NONBLOCK) < 0 || fchmod(*input, 0400) < 0)
        return cf_fail(err, errno, "set up the pipe for stdin");
    return 0;
}

static int open_warden_fd(struct cf_spawned *spawned, struct cf_error *err)
{
    spawned->warden_fd = (int)syscall(SYS_pidfd_open, spawned->warden, 0);
    if (spawned->warden_fd >= 0)
        return 0;
    cf_fail(err, errno, "pidfd_open");
    cf_close_fd(&spawned->lifeline);
    waitpid(spawned->warden, NULL, 0);
    return -1;
}

int cf_spawn(const struct cf_launch *launch, struct cf_spawned *spawned, struct cf_error *err)
{
    *spawned = (struct cf_spawned)CF_SPAWNED_NONE;
    cf_autoclose int lifeline = -1, status = -1, failure = -1, out = -1, error = -1, args = -1;
    cf_autoclose int input = -1;
    if (check_streams(launch, err) < 0 || open_pipe(&lifeline, &spawned->lifeline, err) < 0 ||
        open_pipe(&spawned->status, &status, err) < 0 ||
        open_pipe(&spawned->failure, &failure, err) < 0)
        return -1;
    if (open_outputs(launch, spawned, &out, &error, err) < 0 ||
        open_input(launch, spawned, &input, err) < 0)
        return -1;
    args = cf_args_memfd(launch, status, err);
    if (args < 0)
        return -1;
    char number[16];
    __attribute__((cleanup(free_argv))) const char **argv =
        cf_args_argv(launch, args, number, err);
    if (argv == NULL)
        return -1;
    struct cf_warden warden = {
        .launch = launch,
        .argv = argv,
        .args_fd = args,
        .status_fd = status,
        .lifeline = lifeline,
        .failure = failure,
        .streams = { input >= 0 ? input : launch->fds[0], out >= 0 ? out : launch->fds[1],
                     error >= 0 ? error : launch->fds[2] },
    };
    spawned->warden = fork();
    if (spawned->warden < 0)
        return cf_fail(err, errno, "fork");
    if (spawned->warden == 0) {
        /* Its own copy would keep the lifeline open after our death. */
        close(spawned->lifeline);
        cf_warden_run(&warden);
    }
    return open_warden_fd(spawned, err);
}

void cf_spawned_close(struct cf_spawned *spawned)
{
    cf_close_fd(&spawned->warden_fd);
    cf_close_fd(&spawned->lifeline);
    cf_close_fd(&spawned->status);
    cf_close_fd(&spawned->failure);
    cf_close_fd(&spawned->out);
    cf_close_fd(&spawned->err);
    cf_close_fd(&spawned->input);
}
