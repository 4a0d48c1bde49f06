/* Modes are compared field by field: struct termios has padding. */
#include "launch/terminals.h"

#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool cf_terminal_is_ours(int terminal)
{
    pid_t group = tcgetpgrp(terminal);
    return group < 0 || group == getpgrp();
}

void cf_terminals_note(struct cf_terminals *terminals, const int fds[3])
{
    for (int at = 0; at < 3; at++) {
        bool is_terminal = fds[at] >= 0 && tcgetattr(fds[at], &terminals->of[at].modes) == 0;
        terminals->of[at].fd = is_terminal ? fds[at] : -1;
        terminals->of[at].exclusive = 0;
        if (is_terminal)
            ioctl(fds[at], TIOCGEXCL, &terminals->of[at].exclusive);
    }
}

/* Should we be put into the background just now, we are not to be stopped by what follows. */
static void hold_stop(sigset_t *before)
{
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTOU);
    sigprocmask(SIG_BLOCK, &stop, before);
}

void cf_terminals_start(const int fds[3])
{
    sigset_t before;
    hold_stop(&before);
    for (int at = 0; at < 3; at++)
        if (fds[at] >= 0 && isatty(fds[at]))
            tcflow(fds[at], TCOON);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static bool is_same(const struct termios *one, const struct termios *other)
{
    return one->c_iflag == other->c_iflag && one->c_oflag == other->c_oflag &&
           one->c_cflag == other->c_cflag && one->c_lflag == other->c_lflag &&
           memcmp(one->c_cc, other->c_cc, sizeof one->c_cc) == 0 &&
           cfgetispeed(one) == cfgetispeed(other) && cfgetospeed(one) == cfgetospeed(other);
}

static void put_back_modes(int fd, const struct termios *modes)
{
    struct termios now;
    sigset_t before;
    if (!cf_terminal_is_ours(fd) || tcgetattr(fd, &now) != 0 || is_same(&now, modes))
        return;
    hold_stop(&before);
    tcsetattr(fd, TCSANOW, modes);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void cf_terminals_put_back(const struct cf_terminals *terminals)
{
    for (int at = 0; at < 3; at++) {
        int fd = terminals->of[at].fd;
        if (fd < 0)
            continue;
        if (terminals->of[at].exclusive == 0)
            ioctl(fd, TIOCNXCL);
        put_back_modes(fd, &terminals->of[at].modes);
    }
}
