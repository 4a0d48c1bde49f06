/* A walk in depth, one open folder for each level. */
#include "host/links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fds.h"

/* More folders in one another than a program makes; each holds a descriptor open. */
#define DEEPEST 128

struct walk {
    const struct cf_links_wish *wishes;
    size_t wish_count;
    bool sockets;
    struct cf_links *links;
    struct cf_bytes path; /* of the folder that is being read */
    dev_t dev;            /* of the file system that is being walked */
    size_t seen;
    struct cf_error *err;
};

static bool may_be_wished(const struct walk *walk, ino_t ino, unsigned char type)
{
    if (walk->sockets && (type == DT_SOCK || type == DT_UNKNOWN))
        return true;
    for (size_t at = 0; at < walk->wish_count; at++)
        if (walk->wishes[at].ino == ino)
            return true;
    return false;
}

/* One name is met more than once where its folder is mounted more than once. */
static bool is_known(const struct walk *walk, size_t wish, ino_t folder, const char *name)
{
    for (size_t at = 0; at < walk->links->len; at++) {
        const struct cf_link *link = &walk->links->items[at];
        if (link->wish == wish && link->folder == folder &&
            strcmp(strrchr(link->path, '/') + 1, name) == 0)
            return true;
    }
    return false;
}

static bool is_done(const struct walk *walk)
{
    if (walk->sockets)
        return false;
    for (size_t wish = 0; wish < walk->wish_count; wish++) {
        size_t found = 0;
        for (size_t at = 0; at < walk->links->len; at++)
            found += walk->links->items[at].wish == wish;
        if (found < walk->wishes[wish].names)
            return false;
    }
    return true;
}

static int add(struct walk *walk, size_t wish, const struct stat *folder, const struct stat *st,
               const char *name)
{
    struct cf_links *links = walk->links;
    struct cf_link *items =
        cf_array_grow(links->items, &links->cap, links->len + 1, sizeof *items, walk->err);
    if (items == NULL)
        return -1;
    links->items = items;
    struct cf_link *link = &items[links->len];
    size_t length = strlen(name);
    link->path = malloc(walk->path.len + length + 2);
    if (link->path == NULL)
        return cf_fail(walk->err, ENOMEM, "find links");
    memcpy(link->path, walk->path.data, walk->path.len);
    link->path[walk->path.len] = '/';
    memcpy(link->path + walk->path.len + 1, name, length + 1);
    link->wish = wish;
    link->dev = st->st_dev;
    link->ino = st->st_ino;
    link->folder = folder->st_ino;
    links->len++;
    return 0;
}

static int look_at(struct walk *walk, int dir, const struct stat *folder, const char *name)
{
    struct stat st;
    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    for (size_t wish = 0; wish < walk->wish_count; wish++)
        if (walk->wishes[wish].dev == st.st_dev && walk->wishes[wish].ino == st.st_ino &&
            !is_known(walk, wish, folder->st_ino, name))
            return add(walk, wish, folder, &st, name);
    return walk->sockets && S_ISSOCK(st.st_mode) ? add(walk, CF_LINKS_SOCKET, folder, &st, name)
                                                 : 0;
}

static int walk_folder(struct walk *walk, int parent, const char *name, int depth);

/* 1 when the walk is over, -1 when it failed. */
static int walk_entries(struct walk *walk, DIR *dir, const struct stat *folder, int depth)
{
    size_t length = walk->path.len;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        walk->links->is_cut |= ++walk->seen > CF_LINKS_ENTRIES;
        if (walk->seen > CF_LINKS_ENTRIES)
            return 1;
        int result = 0;
        if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) {
            if (cf_bytes_format(&walk->path, walk->err, "/%s", name) < 0)
                return -1;
            result = walk_folder(walk, dirfd(dir), name, depth + 1);
            walk->path.len = length;
            walk->path.data[length] = '\0';
        }
        if (result == 0 && entry->d_type != DT_DIR &&
            may_be_wished(walk, entry->d_ino, entry->d_type)) {
            result = look_at(walk, dirfd(dir), folder, name);
            if (result == 0 && is_done(walk))
                return 1;
        }
        if (result != 0)
            return result;
    }
    return 0;
}

static int walk_folder(struct walk *walk, int parent, const char *name, int depth)
{
    struct stat st;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        walk->links->is_cut |= errno != ENOTDIR && errno != ELOOP && errno != ENOENT;
        return 0;
    }
    bool is_within = fstat(fd, &st) == 0 && (depth == 0 || st.st_dev == walk->dev);
    walk->links->is_cut |= depth > DEEPEST;
    DIR *dir = is_within && depth <= DEEPEST ? fdopendir(fd) : NULL;
    if (dir == NULL) {
        cf_close_fd(&fd);
        return 0;
    }
    walk->dev = st.st_dev;
    int result = walk_entries(walk, dir, &st, depth);
    closedir(dir);
    return result;
}

int cf_links_find(const struct cf_links_wish *wishes, size_t wish_count, bool sockets,
                  const char *const *folders, size_t folder_count, struct cf_links *links,
                  struct cf_error *err)
{
    struct walk walk = {
        .wishes = wishes,
        .wish_count = wish_count,
        .sockets = sockets,
        .links = links,
        .path = CF_BYTES_EMPTY,
        .err = err,
    };
    int result = 0;
    for (size_t at = 0; at < folder_count && result == 0; at++) {
        cf_bytes_free(&walk.path);
        if (cf_bytes_text(&walk.path, strcmp(folders[at], "/") == 0 ? "" : folders[at], err) <
            0)
            result = -1;
        else
            result = walk_folder(&walk, AT_FDCWD, folders[at], 0);
    }
    cf_bytes_free(&walk.path);
    return result < 0 ? -1 : 0;
}

void cf_links_free(struct cf_links *links)
{
    for (size_t at = 0; at < links->len; at++)
        free(links->items[at].path);
    free(links->items);
    *links = (struct cf_links)CF_LINKS_EMPTY;
}
