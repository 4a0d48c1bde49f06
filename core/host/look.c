/* The kinds of things a path can lead to, by their names, and the end of a look. */
#include "host/look.h"

#include <stdlib.h>

const char *cf_path_type_name(enum cf_path_type type)
{
    static const char *const names[] = {
        [CF_PATH_ABSENT] = "absent", [CF_PATH_UNKNOWN] = "unknown", [CF_PATH_FILE] = "file",
        [CF_PATH_DIR] = "dir",       [CF_PATH_SOCKET] = "socket",   [CF_PATH_LINK] = "link",
        [CF_PATH_CHAR] = "char",     [CF_PATH_BLOCK] = "block",     [CF_PATH_FIFO] = "fifo",
    };
    return names[type];
}

enum cf_path_type cf_path_type_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFDIR:
        return CF_PATH_DIR;
    case S_IFSOCK:
        return CF_PATH_SOCKET;
    case S_IFLNK:
        return CF_PATH_LINK;
    case S_IFCHR:
        return CF_PATH_CHAR;
    case S_IFBLK:
        return CF_PATH_BLOCK;
    case S_IFIFO:
        return CF_PATH_FIFO;
    default:
        return CF_PATH_FILE;
    }
}

void cf_look_free(struct cf_look *look)
{
    for (size_t at = 0; at < look->link_count; at++)
        free(look->links[at]);
    free(look->links);
    free(look->path);
    free(look->exists_to);
    free(look->unknown);
    *look = (struct cf_look){ .type = CF_PATH_ABSENT };
}
