/* Whether a fresh /proc can be had under the shape of a confined run, found out by trying. */
#ifndef CF_HOST_PROCFS_H
#define CF_HOST_PROCFS_H

#include <stdbool.h>

#include "base/error.h"

enum cf_procfs_answer { CF_PROCFS_NO, CF_PROCFS_YES, CF_PROCFS_UNKNOWN };

struct cf_procfs_probe {
    enum cf_procfs_answer mountable;
    bool cached;     /* a yes from before: this boot, mount namespace and bwrap */
    bool no_userns;  /* unknown because bwrap got no user namespace */
    bool no_sandbox; /* unknown because bwrap could not set up anything, for any reason */
    struct cf_error reason; /* for no and unknown: bwrap's own message, or why it did not run */
};

/*
 * Runs the bwrap at `path` with a user and a pid namespace, / read-only and a new /proc, in
 * which /proc/self/status must be readable. No means that bwrap could not mount it; anything
 * else that went wrong is unknown. A yes is remembered in the folder `cache` (NULL: none), as
 * cf_cache_open accepts it; a no never is, for what hides /proc today may be gone tomorrow.
 */
void cf_procfs_try(const char *path, const char *cache, struct cf_procfs_probe *probe);

#endif
