/* What a walk remembers: the folders it opened and what each name in them turned out to be. */
#ifndef CF_HOST_WALK_FOLDERS_H
#define CF_HOST_WALK_FOLDERS_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

struct cf_walk;
struct cf_walk_folder;

enum cf_walk_kind {
    CF_WALK_FOLDER,
    CF_WALK_LINK,
    CF_WALK_FILE, /* anything else that is there */
    CF_WALK_ABSENT,
    CF_WALK_UNKNOWN,
};

struct cf_walk_name {
    enum cf_walk_kind kind;
    struct cf_walk_folder *folder; /* when a folder */
    char *target;                  /* when a link: its text */
    const char *operation;         /* when unknown: what failed, and with which errno */
    int number;
};

struct cf_walk_folder *cf_walk_root(struct cf_walk *walk);

/* The folder above, and / above /. */
struct cf_walk_folder *cf_walk_folder_parent(struct cf_walk_folder *folder);

/* The canonical path; lives as long as the walk. */
const char *cf_walk_folder_path(const struct cf_walk_folder *folder);

/*
 * An O_PATH descriptor that the walk owns, good until the next folder is opened, or -1 with
 * errno: a folder whose descriptor was given up is opened again by name from the one above.
 */
int cf_walk_folder_fd(struct cf_walk *walk, struct cf_walk_folder *folder);

/*
 * What `name` in the folder is when it has to be passed through; a folder is open then.
 * NULL only for want of memory.
 */
const struct cf_walk_name *cf_walk_name(struct cf_walk *walk, struct cf_walk_folder *folder,
                                        const char *name, size_t len, struct cf_error *err);

/* lstat of `name`, less than PATH_MAX bytes, in the folder. Returns 0 or the errno. */
int cf_walk_stat(struct cf_walk *walk, struct cf_walk_folder *folder, const char *name,
                 size_t len, struct stat *about);

#endif
