/* The mounts a process sees, from /proc/PID/mountinfo. */
#ifndef CF_HOST_MOUNTS_H
#define CF_HOST_MOUNTS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/error.h"

/* Texts are NUL-terminated and unescaped (\040 and the like are the bytes they stand for). */
struct cf_mount {
    int id;
    int parent;
    dev_t dev;            /* as stat(2) has it */
    const char *root;     /* what of the file system is mounted, as a path within it */
    const char *path;     /* where */
    const char *options;  /* of this mount: "rw,nosuid" */
    const char *optional; /* propagation: "shared:1 master:2", often empty */
    const char *fstype;
    const char *source;
    const char *super; /* of the file system: "rw,size=4k" */
};

struct cf_mounts {
    struct cf_mount *items; /* in the order of the text: later ones lie over earlier ones */
    size_t len;
    size_t cap;
    struct cf_bytes text; /* what the texts point into */
    size_t unreadable;    /* lines that are no mount */
};

/* Reads a copy of the text into *to, which must be empty. A last line without its newline is
 * cut off and counts as unreadable. -1 with ENOMEM. Facts: proc(5), /proc/PID/mountinfo. */
int cf_mounts_parse(const char *text, size_t len, struct cf_mounts *to, struct cf_error *err);

/* Reads those of a process; pid 0 means the caller. */
int cf_mounts_read(pid_t pid, struct cf_mounts *to, struct cf_error *err);

void cf_mounts_free(struct cf_mounts *mounts);

#endif
