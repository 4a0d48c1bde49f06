/* Canonicalises paths by descriptor, remembering each folder it opened for the next path. */
#ifndef CF_HOST_WALK_H
#define CF_HOST_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

enum cf_path_type {
    CF_PATH_ABSENT,
    CF_PATH_UNKNOWN,
    CF_PATH_FILE,
    CF_PATH_DIR,
    CF_PATH_SOCKET,
    CF_PATH_LINK, /* only where the last link is not followed */
    CF_PATH_CHAR,
    CF_PATH_BLOCK,
    CF_PATH_FIFO,
};

struct cf_look {
    enum cf_path_type type;
    bool loop;       /* absent because more than 40 symbolic links stand in the way */
    char *path;      /* canonical; for an unknown the canonical start and the rest as given */
    char *exists_to; /* when absent: the deepest existing folder on the way */
    char *unknown;   /* when unknown: "openat /x: Permission denied" */
    char **links;    /* canonical path of each symbolic link followed, in order */
    size_t link_count;
    struct stat about; /* lstat of what was found: neither for absent nor for unknown */
};

void cf_look_free(struct cf_look *look);

/* "file", "dir", "socket", "link", "char", "block", "fifo", "absent" or "unknown". */
const char *cf_path_type_name(enum cf_path_type type);
enum cf_path_type cf_path_type_of(mode_t mode);

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
