/* Puts back what a command changed of the terminals that it wrote to. */
#ifndef CF_LAUNCH_TERMINALS_H
#define CF_LAUNCH_TERMINALS_H

#include <stdbool.h>
#include <termios.h>

/*
 * Are we the job in the foreground? A terminal that is not our controlling one names no group,
 * and the kernel lets us read and set it.
 */
bool cf_terminal_is_ours(int terminal);

/*
 * Whoever may write to a terminal may change its modes (termios(3)): one that echoes nothing any
 * more, or passes ^C on as a letter, would be left to the caller's shell.
 */
struct cf_terminals {
    struct {
        int fd; /* not owned; -1 for what is no terminal */
        struct termios modes;
        int exclusive; /* TIOCEXCL: nobody else may open it */
    } of[3];
};

/* Notes the modes of those of the command's three streams that are terminals; -1 is none. */
void cf_terminals_note(struct cf_terminals *terminals, const int fds[3]);

/*
 * Starts again those of the command's three streams that are terminals and that it stopped by
 * tcflow(3): no key does, and whoever writes to one waits for ever. One that ^S stopped stays so.
 */
void cf_terminals_start(const int fds[3]);

/*
 * Puts back modes that differ now, unless the terminal belongs to another job meanwhile, and lets
 * others open it again. The size of the window is left alone: the kernel tells nobody whether the
 * command or its user has changed it.
 */
void cf_terminals_put_back(const struct cf_terminals *terminals);

#endif
