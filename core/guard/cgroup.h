/* Limits of memory and tasks for all processes of a run together, by a control group (v2). */
#ifndef CF_GUARD_CGROUP_H
#define CF_GUARD_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct cf_cgroup_limits {
    uint64_t memory; /* bytes, no swap on top; 0 is no limit */
    uint64_t tasks;  /* processes and threads of the command; 0 is no limit */
};

/* A group that was made for one run. Closed: dir is -1. */
struct cf_cgroup {
    int parent; /* the folder it was made in */
    int dir;
    int procs; /* its cgroup.procs, open for writing */
    char name[48];
};

#define CF_CGROUP_CLOSED                                                                       \
    {                                                                                          \
        .parent = -1, .dir = -1, .procs = -1                                                   \
    }

/*
 * Makes a group "confine-PID-N" beside or below the caller's own and sets its limits: below,
 * where the caller's group may have children with the wanted controllers, else beside it (the
 * usual place under systemd, where a group with processes may not pass controllers on). Needs
 * cgroup v2 and write permission there; turns a missing controller on where the kernel lets it.
 * Removes groups of the same name pattern that ended launchers left. 0, or -1 with the reason
 * for both places in *err. Facts: the kernel's Documentation/admin-guide/cgroup-v2.rst.
 */
int cf_cgroup_make(const struct cf_cgroup_limits *limits, struct cf_cgroup *group,
                   struct cf_error *err);

/* The same in a given group, an absolute path in a cgroup2 file system. */
int cf_cgroup_make_in(const char *parent, const struct cf_cgroup_limits *limits,
                      struct cf_cgroup *group, struct cf_error *err);

/* Moves the calling process into the group; for the child between fork and exec, as the first
 * thing. Does nothing for a closed group. */
int cf_cgroup_join(const struct cf_cgroup *group, struct cf_error *err);

/* What was met so far: *memory when the kernel killed the group for memory (it kills all of it,
 * so that no half of a command goes on), *tasks when a fork was refused. */
int cf_cgroup_met(const struct cf_cgroup *group, bool *memory, bool *tasks,
                  struct cf_error *err);

/*
 * Kills what is left in the group (Linux 5.14), waits up to 2 s until it is empty, removes it and
 * closes it. -1 when it could not be removed; closed in any case.
 */
int cf_cgroup_end(struct cf_cgroup *group, struct cf_error *err);

/* Proves that a group with both limits can be made, joined and removed. */
int cf_cgroup_available(struct cf_error *err);

#endif
