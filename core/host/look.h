/* What looking at a path tells: its canonical form, what is there, and what led there. */
#ifndef CF_HOST_LOOK_H
#define CF_HOST_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

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
    bool dangling;   /* absent because a link on the way leads nowhere */
    bool blocked;    /* absent because something on the way is no folder */
    bool too_long;   /* absent because nobody can make what has so long a name */
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

#endif
