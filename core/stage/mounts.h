/* The mount calls by descriptor, so that no step of a view can be led astray by a path. */
#ifndef CF_STAGE_MOUNTS_H
#define CF_STAGE_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * All of these may be called between fork and exec. A failure returns -1 with errno kept and,
 * unless err is NULL, *err filled; `subject` names the place in the message. Descriptors are
 * owned by the caller and CLOEXEC. Linux 5.12; facts: open_tree(2), move_mount(2), fsopen(2),
 * mount_setattr(2), openat2(2).
 */

/*
 * O_PATH of `path` below the folder `base`, no symbolic link followed on the way; a link in the
 * last place is opened itself. Leading slashes count for nothing, an empty path is base itself.
 */
int cf_place_open(int base, const char *path, struct cf_error *err);

/* What identifies a file beyond its name: a reused inode number differs in its birth. */
struct cf_identity {
    uint64_t dev; /* as st_dev */
    uint64_t ino;
    int64_t born; /* nanoseconds since the epoch, 0 where the file system does not say */
};

/* What is known of an open place without opening it for reading. */
struct cf_place {
    struct cf_identity id;
    mode_t mode;
    uint64_t rdev;
    int64_t changed; /* ctime in nanoseconds since the epoch */
    int64_t written; /* mtime in nanoseconds since the epoch */
    uint64_t size;
    bool is_mount; /* the root of a mount */
};

/* Never asks a server: one that hangs behind a mount among the siblings would hold us up. */
int cf_place_look(int fd, struct cf_place *place);

/* As cf_place_look for the name itself in the folder `dir`, a link not followed. */
int cf_place_look_at(int dir, const char *name, struct cf_place *place);

/* As cf_place_look_at, but asks the server: for what must not have been changed meanwhile. */
int cf_place_look_again(int dir, const char *name, struct cf_place *place);

bool cf_identity_equal(const struct cf_identity *a, const struct cf_identity *b);

/*
 * A detached copy of what `fd` shows, with everything mounted below it, private; MOUNT_ATTR_* to
 * set and to clear on all of it.
 */
int cf_mount_clone(int fd, uint64_t set, uint64_t clear, const char *subject,
                   struct cf_error *err);

/*
 * A detached empty tmpfs, nosuid and nodev, whose root has `mode`; size in bytes, 0 for the
 * kernel's default of half the memory.
 */
int cf_mount_tmpfs(mode_t mode, uint64_t size, struct cf_error *err);

/* A detached devpts of its own, empty, with a ptmx for all. */
int cf_mount_devpts(struct cf_error *err);

/* A detached empty folder that nothing can be made in; with mode 0 it cannot even be read. */
int cf_mount_blank(mode_t mode, struct cf_error *err);

/* A detached overlay; `options` is a list of key, value, key, value, ..., NULL. */
int cf_mount_overlay(const char *const *options, const char *subject, struct cf_error *err);

/* A detached node that can be neither opened nor connected to: /dev/null on a nodev mount. */
int cf_mount_inert(int root, struct cf_error *err);
/* Whether that, or a blank folder of mode 0, lies there. */
bool cf_mount_is_inert(const struct cf_place *place);

/* Attaches a detached mount at the place `at`, over what is mounted there. */
int cf_mount_attach(int mount, int at, const char *subject, struct cf_error *err);

/* As cf_mount_attach, at `name` in the folder `dir`; name may not be a link. */
int cf_mount_attach_at(int mount, int dir, const char *name, struct cf_error *err);

/* Sets and clears MOUNT_ATTR_* on the mount `fd` is in, or on the whole tree below. */
int cf_mount_change(int fd, uint64_t set, uint64_t clear, bool tree, const char *subject,
                    struct cf_error *err);

/* Lets later mounts below appear in namespaces copied from this one, but not the reverse. */
int cf_mount_share(int fd, struct cf_error *err);

/* Detaches what is mounted at `name` in the folder `dir` (its every layer), or nothing. */
void cf_mount_drop(int dir, const char *name);

/* Detaches the mount whose root `fd` is. */
int cf_mount_detach(int fd, const char *subject, struct cf_error *err);

#endif
