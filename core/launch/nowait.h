/* Descriptors that others share, read and written without ever waiting. */
#ifndef CF_LAUNCH_NOWAIT_H
#define CF_LAUNCH_NOWAIT_H

#include <stddef.h>
#include <sys/types.h>

/*
 * An owned non-blocking descriptor of the terminal, pipe or FIFO behind fd, with `access`
 * (O_RDONLY or O_WRONLY): opened again, so that whoever shares fd goes on waiting as before. -1
 * for anything else, where fd itself is not open for that, and where it cannot be opened again
 * (another user's terminal, a pty's master).
 */
int cf_nowait_open(int fd, int access);

/*
 * read(2) and write(2) that answer EAGAIN where they would wait. Of a socket and, since Linux 6.4,
 * of a pipe only this call is told; of anything else that is not non-blocking yet, O_NONBLOCK is
 * set and taken back, which others see for that moment.
 */
ssize_t cf_nowait_read(int fd, void *data, size_t len);
ssize_t cf_nowait_write(int fd, const void *data, size_t len);

#endif
