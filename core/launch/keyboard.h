/* Passes on what is typed while we are the ones it is typed to. */
#ifndef CF_LAUNCH_KEYBOARD_H
#define CF_LAUNCH_KEYBOARD_H

#include <poll.h>
#include <stdbool.h>

/*
 * A command that has the terminal itself, but not as its controlling one, is never stopped by
 * SIGTTIN: in the background it would read what is typed to others. So it gets a pipe, which
 * holds one piece (a line, while the terminal makes lines) at a time, and we do the reading.
 */
struct cf_keyboard {
    int terminal;    /* where it is read */
    int own;         /* owned: `terminal` opened again without waiting, or -1 */
    int to;          /* owned: the pipe, or -1 when nothing more is passed on */
    bool full;       /* the command has not taken the last piece yet */
    double again_at; /* we are in the background and ask again then, in seconds; 0 for now */
};

#define CF_KEYBOARD_NONE                                                                       \
    {                                                                                          \
        -1, -1, -1, false, 0                                                                   \
    }

/* Takes `to` over, the writer's end of a pipe of one page; -1 gives one that passes on nothing. */
void cf_keyboard_start(struct cf_keyboard *keyboard, int terminal, int to);

/* What to poll for at `time`; fd is -1 while there is nothing to wait for. */
struct pollfd cf_keyboard_wants(const struct cf_keyboard *keyboard, double time);

/* One step after poll said so. The end of the input (^D, a hang-up) closes the pipe. */
void cf_keyboard_step(struct cf_keyboard *keyboard, short revents, double time);

/* Closes what it owns. */
void cf_keyboard_end(struct cf_keyboard *keyboard);

#endif
