/* Where a program is, as a shell would find it, without the traps of a relative PATH. */
#ifndef CF_HOST_PROGRAM_H
#define CF_HOST_PROGRAM_H

#include "base/error.h"

/*
 * Finds a program as execvp(3) does: `name` with a slash is taken as it is, else looked for in
 * the colon-separated folders of `path`. Folders that are not absolute (an empty one is the
 * current folder) are passed over: what they lead to is decided by where one stands. Owned
 * path of a regular file that the effective ids may execute; NULL with EACCES when there was
 * only one that may not be executed, else ENOENT.
 */
char *cf_program_find(const char *name, const char *path, struct cf_error *err);

#endif
