/* signalfd on one side, kill(2) on the other. */
#include "launch/signals.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"
#include "launch/numbers.h"

static const int passed_on[] = { SIGINT,  SIGQUIT, SIGHUP,   SIGTERM,
                                 SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP };

int cf_signals_take(struct cf_signals *signals, struct cf_error *err)
{
    sigset_t taken;
    sigemptyset(&taken);
    for (size_t at = 0; at < sizeof passed_on / sizeof *passed_on; at++) {
        struct sigaction action;
        /* A blocked signal is queued even when ignored, so an ignored one must stay open. */
        if (sigaction(passed_on[at], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            sigaddset(&taken, passed_on[at]);
    }
    signals->fd = signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals->fd < 0)
        return cf_fail(err, errno, "signalfd");
    sigprocmask(SIG_BLOCK, &taken, &signals->before);
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    struct sigaction plain = { .sa_handler = SIG_DFL };
    sigaction(SIGPIPE, &ignore, &signals->pipe);
    sigaction(SIGCHLD, NULL, &signals->child);
    if (signals->child.sa_handler == SIG_IGN || (signals->child.sa_flags & SA_NOCLDWAIT) != 0)
        sigaction(SIGCHLD, &plain, NULL);
    return 0;
}

void cf_signals_give_back(struct cf_signals *signals)
{
    cf_close_fd(&signals->fd);
    sigaction(SIGCHLD, &signals->child, NULL);
    sigaction(SIGPIPE, &signals->pipe, NULL);
    sigprocmask(SIG_SETMASK, &signals->before, NULL);
}

static bool send_to(int pidfd, int number)
{
    return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) == 0;
}

/* Returns an owned pidfd of the oldest child, or -1. */
static int open_command(pid_t parent)
{
    pid_t command, again;
    if (cf_numbers_children(parent, &command, 1) == 0)
        return -1;
    cf_autoclose int fd = (int)syscall(SYS_pidfd_open, command, 0);
    /* Its number may have become somebody else's before we held it. */
    if (fd < 0 || cf_numbers_children(parent, &again, 1) == 0 || again != command)
        return -1;
    return cf_take_fd(&fd);
}

bool cf_target_signal(const struct cf_target *target, enum cf_reach reach, int number)
{
    /* While pid 1 lives, neither its number nor its group's can belong to anybody else. */
    if (target->child_fd < 0 || !send_to(target->child_fd, 0))
        return false;
    /* pid 1 itself ignores what it has no handler for, so alone it would swallow the signal. */
    cf_autoclose int command = open_command(target->child);
    if (command < 0)
        return false;
    if (reach == CF_TO_GROUP && getpgid(target->child) == target->child)
        return kill(-target->child, number) == 0;
    return send_to(command, number);
}
