/* Where the caller's own control group is, and which groups beside it nobody needs any more. */
#ifndef CF_GUARD_CGROUP_PLACE_H
#define CF_GUARD_CGROUP_PLACE_H

#include <stddef.h>

#include "base/bytes.h"
#include "base/error.h"

#define CF_CGROUP_PREFIX "confine-"

/*
 * Appends to *path the folder of the calling process's own group in a mounted cgroup v2 file
 * system. *top is the length of the part of it that is the mount point: nothing above that can be
 * reached. -1 with the reason in *err. Facts: cgroups(7), /proc/self/cgroup.
 */
int cf_cgroup_find(struct cf_bytes *path, size_t *top, struct cf_error *err);

/*
 * Removes the groups below the folder `parent` whose launcher has ended: empty folders named
 * CF_CGROUP_PREFIX, its process id, a dash and a number. The kernel keeps one that has processes.
 */
void cf_cgroup_sweep(int parent);

#endif
