/* The options of bwrap as a sealed memfd, and the argv that names it. */
#ifndef CF_LAUNCH_ARGS_H
#define CF_LAUNCH_ARGS_H

#include "launch/launch.h"

/* "--args" with its number, "--", and bwrap's own name come before the command. */
#define CF_ARGV_EXTRA 4

/* An owned descriptor above 2 for --args; status_fd is what --json-status-fd names. */
int cf_args_memfd(const struct cf_launch *launch, int status_fd, struct cf_error *err);

/*
 * bwrap's argv for it: NULL-terminated, to be freed with free(); the words are the launch's own,
 * and `number` (room for 16 bytes) must live as long. NULL with ENOMEM.
 */
const char **cf_args_argv(const struct cf_launch *launch, int args_fd, char *number,
                          struct cf_error *err);

#endif
