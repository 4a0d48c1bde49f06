/* The last steps before bwrap's image replaces ours. */
#ifndef CF_LAUNCH_EXEC_H
#define CF_LAUNCH_EXEC_H

#include "launch/warden.h"

/*
 * In the warden's child: default signal dispositions and an empty mask, the streams at 0, 1 and
 * 2, every other descriptor CLOEXEC but the two for bwrap, the folder, hooks.prepare, execve.
 * Returns only for a failure, with *err filled. parent: the warden, to notice its death.
 */
void cf_exec_bwrap(const struct cf_warden *warden, pid_t parent, struct cf_error *err);

#endif
