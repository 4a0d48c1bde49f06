/* Canonicalises paths by descriptor, remembering each folder it opened for the next path. */
#ifndef CF_HOST_WALK_H
#define CF_HOST_WALK_H

#include <stdbool.h>

#include "base/error.h"
#include "host/look.h"

/*
 * A walk keeps what it learnt: at most 64 open folders, and every name it met on the way. What
 * the file system changes meanwhile is not seen, so a walk serves one question, not a session.
 */
struct cf_walk;

/* NULL with *err filled when / cannot be opened or memory is short. */
struct cf_walk *cf_walk_new(struct cf_error *err);
void cf_walk_free(struct cf_walk *walk);
#define cf_autowalk __attribute__((cleanup(cf_walk_done)))
void cf_walk_done(struct cf_walk **walk);

/*
 * Looks where the absolute path leads, opening each folder on the way with O_PATH|O_NOFOLLOW
 * below the one before, and reading links itself; never realpath(3). ".." goes to the folder
 * above in the canonical path, also behind a missing name. The last component's link is
 * followed when `follow`. Links of /proc that the kernel resolves by object (/proc/PID/root)
 * are followed only where their text names that same object in this mount view.
 *
 * Whatever the file system answers is a result: *look is absent or unknown then. -1 only for
 * misuse (EINVAL: not absolute; ENAMETOOLONG: 4,096 bytes or more) and for want of memory.
 */
int cf_walk_look(struct cf_walk *walk, const char *path, bool follow, struct cf_look *look,
                 struct cf_error *err);

#endif
