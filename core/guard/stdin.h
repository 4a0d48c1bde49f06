/* The three descriptors that the command inherits, made harmless before it gets them. */
#ifndef CF_GUARD_STDIN_H
#define CF_GUARD_STDIN_H

#include <stddef.h>

#include "base/error.h"

/* The largest deleted (or otherwise unreachable) file that is copied to be read, in bytes. */
#define CF_STDIN_COPY_MAX ((size_t)256 << 20)

/*
 * What the command gets as its stdin in place of fd, an owned descriptor:
 * - a regular file or a disk: the same file opened again for reading, at the same offset, through
 *   a read-only clone of its mount that is attached nowhere. It can be read and seeked; opening
 *   it again for writing fails with EROFS (a disk: with EACCES).
 * - a file that has no path any more, cannot be opened again, or where no mount can be cloned:
 *   a sealed copy in memory, up to CF_STDIN_COPY_MAX bytes.
 * - closed: /dev/null.
 * - what is harmless (see guard/descriptor.h): a duplicate; the launch reads a terminal itself.
 * Anything else is refused: -1 with a message that says what it is and the remedy (a pipe).
 * Forks once for files; not for the child. Facts: open_tree(2), mount_setattr(2) (Linux 5.12).
 */
int cf_stdin_prepare(int fd, struct cf_error *err);

/*
 * Afterwards: moves fd to where the command stopped reading `replacement`, as if both were one
 * open file, so that `{ confine-lua run -- head -1; cat; } < FILE` goes on where it should.
 * Does nothing for what cannot be seeked.
 */
void cf_stdin_settle(int fd, int replacement);

/*
 * Whether stdout or stderr may be handed on as it is: 0 yes; 1 only through a pipe that the
 * launcher copies to it (a regular file, also an empty one: the command could read or overwrite
 * what others append to it, and change its mode; and whatever else a pipe makes harmless); -1
 * with *err filled when it is a folder. `name` is "stdout" or "stderr".
 */
int cf_output_needs_relay(int fd, const char *name, struct cf_error *err);

/*
 * The terminal behind fd opened again for writing only, an owned descriptor: it stays a terminal
 * (isatty, its size, its colours), but cannot be read, nor opened again (EACCES), nor be given a
 * mode (EROFS). For a command that the terminal is not the controlling one of, which no SIGTTIN
 * would keep from reading it. -1 with *err filled where it cannot be had (another user's
 * terminal, no mount that can be cloned): then a relay is due. Forks once.
 */
int cf_output_terminal(int fd, struct cf_error *err);

#endif
