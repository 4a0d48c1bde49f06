/* The terminal is read only when the pipe is empty, so no piece is ever kept here. */
#include "launch/keyboard.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "launch/nowait.h"
#include "launch/terminals.h"

/* How often we ask whether we came to the foreground, which nothing tells: seconds. */
#define ASK_AGAIN 0.2

void cf_keyboard_start(struct cf_keyboard *keyboard, int terminal, int to)
{
    *keyboard = (struct cf_keyboard)CF_KEYBOARD_NONE;
    keyboard->to = to;
    if (to < 0)
        return;
    keyboard->own = cf_nowait_open(terminal, O_RDONLY);
    keyboard->terminal = keyboard->own >= 0 ? keyboard->own : terminal;
}

struct pollfd cf_keyboard_wants(const struct cf_keyboard *keyboard, double time)
{
    if (keyboard->to < 0 || time < keyboard->again_at)
        return (struct pollfd){ .fd = -1 };
    if (keyboard->full)
        return (struct pollfd){ .fd = keyboard->to, .events = POLLOUT };
    return (struct pollfd){ .fd = keyboard->terminal, .events = POLLIN };
}

/* Should we be put into the background just now, the read answers EIO and stops nobody. */
static ssize_t read_typed(int terminal, char *data, size_t len)
{
    sigset_t stop, before;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTTIN);
    sigprocmask(SIG_BLOCK, &stop, &before);
    ssize_t got = cf_nowait_read(terminal, data, len);
    int number = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return got;
}

static void pass_on(struct cf_keyboard *keyboard, double time)
{
    char data[PIPE_BUF];
    ssize_t got = -1;
    if (cf_terminal_is_ours(keyboard->terminal)) {
        got = read_typed(keyboard->terminal, data, sizeof data);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return;
    }
    if (got < 0 && !cf_terminal_is_ours(keyboard->terminal)) {
        keyboard->again_at = time + ASK_AGAIN;
        return;
    }
    if (got <= 0 || cf_write_all(keyboard->to, data, (size_t)got, NULL) < 0)
        cf_keyboard_end(keyboard);
    explicit_bzero(data, sizeof data);
}

void cf_keyboard_step(struct cf_keyboard *keyboard, short revents, double time)
{
    if (keyboard->to < 0 || revents == 0)
        return;
    bool readable = !keyboard->full;
    struct pollfd room = { .fd = keyboard->to, .events = POLLOUT };
    keyboard->full = poll(&room, 1, 0) <= 0;
    if ((room.revents & POLLERR) != 0)
        cf_keyboard_end(keyboard);
    else if (readable && !keyboard->full)
        pass_on(keyboard, time);
}

void cf_keyboard_end(struct cf_keyboard *keyboard)
{
    cf_close_fd(&keyboard->own);
    cf_close_fd(&keyboard->to);
}
