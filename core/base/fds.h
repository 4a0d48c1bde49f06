/* Descriptors that close themselves, and the whole-transfer forms of read and write. */
#ifndef CF_BASE_FDS_H
#define CF_BASE_FDS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

/* Closes *fd when it is not negative and sets it to -1; errno is left as it was. */
void cf_close_fd(int *fd);

/* `cf_autoclose int fd = open(...)`: closed when it goes out of scope unless taken. */
#define cf_autoclose __attribute__((cleanup(cf_close_fd)))

/* Hands the descriptor to the caller: returns it and leaves -1 behind. */
int cf_take_fd(int *fd);

/*
 * Appends everything up to end of file to *to. `subject` names the source in messages. More
 * than max bytes: -1 with EFBIG and the first max bytes kept. Interrupted reads go on.
 */
int cf_read_all(int fd, const char *subject, size_t max, struct cf_bytes *to,
                struct cf_error *err);

/* Opens `path` below the folder `dir` (or AT_FDCWD) and reads it as cf_read_all does. */
int cf_read_file_at(int dir, const char *path, size_t max, struct cf_bytes *to,
                    struct cf_error *err);

/* Writes all of data, going on after short and interrupted writes. */
int cf_write_all(int fd, const void *data, size_t len, struct cf_error *err);

/*
 * Makes what is absent of a folder and of those above it, with mode 0700 whatever the umask is;
 * -1 with the errno of mkdir(2).
 */
int cf_folders_make(const char *path, struct cf_error *err);

/*
 * An owned memfd positioned at 0 that holds data and can no longer be written, grown or shrunk;
 * -1 with *err filled. label is what /proc/PID/fd shows.
 */
int cf_memfd_from(const char *label, const void *data, size_t len, struct cf_error *err);

#endif
