/* A walk in depth, one open folder for each level; what is looked for is a function. */
#include "host/links.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fds.h"

/* More folders in one another than a program makes; each holds a descriptor open. */
#define DEEPEST 128

struct walk {
    const struct cf_links_wish *wishes;
    size_t wish_count;
    size_t *counts; /* found of each wish */
    /* Judges an entry that is no folder: 0 to go on, 1 when the walk is over, -1. */
    int (*judge)(struct walk *walk, int dir, const struct stat *folder,
                 const struct dirent *entry);
    size_t at; /* index of the folder that the walk began with */
    size_t seen;
    size_t most;
    int deepest;
    bool is_cut_by_mounts;
    bool is_full;         /* as many entries as are looked at were seen */
    dev_t dev;            /* of the file system that is being walked */
    struct cf_bytes path; /* of the folder that is being read */
    struct cf_links *links;
    struct cf_error *err;
};

static int note_cut(struct walk *walk, const char *path, bool is_closed)
{
    struct cf_links *links = walk->links;
    links->is_cut = true;
    if (links->cut_len >= CF_LINKS_CUTS - (is_closed ? 1U : 0U))
        return 0;
    struct cf_links_cut *cut = &links->cuts[links->cut_len];
    *cut = (struct cf_links_cut){ strdup(path), is_closed };
    if (cut->path == NULL)
        return cf_fail(walk->err, ENOMEM, "find links");
    links->cut_len++;
    return 0;
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
    link->names = st->st_nlink;
    link->folder = folder->st_ino;
    links->len++;
    return 0;
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
    for (size_t wish = 0; wish < walk->wish_count; wish++)
        if (walk->counts[wish] < walk->wishes[wish].names && walk->counts[wish] < CF_LINKS_EACH)
            return false;
    return true;
}

static int judge_wished(struct walk *walk, int dir, const struct stat *folder,
                        const struct dirent *entry)
{
    struct stat st;
    size_t wish = 0;
    while (wish < walk->wish_count && walk->wishes[wish].ino != entry->d_ino)
        wish++;
    if (wish == walk->wish_count || fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return 0;
    for (; wish < walk->wish_count; wish++) {
        if (walk->wishes[wish].dev != st.st_dev || walk->wishes[wish].ino != st.st_ino)
            continue;
        if (walk->counts[wish] == CF_LINKS_EACH || walk->links->len == CF_LINKS_MOST) {
            walk->links->is_cut = true;
        } else if (!is_known(walk, wish, folder->st_ino, entry->d_name)) {
            if (add(walk, wish, folder, &st, entry->d_name) < 0)
                return -1;
            walk->counts[wish]++;
            return is_done(walk);
        }
    }
    return 0;
}

static int judge_socket(struct walk *walk, int dir, const struct stat *folder,
                        const struct dirent *entry)
{
    struct stat st;
    if ((entry->d_type != DT_SOCK && entry->d_type != DT_UNKNOWN) ||
        fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISSOCK(st.st_mode))
        return 0;
    return add(walk, walk->at, folder, &st, entry->d_name);
}

static int judge_several(struct walk *walk, int dir, const struct stat *folder,
                         const struct dirent *entry)
{
    struct stat st;
    if (entry->d_type == DT_LNK || fstatat(dir, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
        S_ISDIR(st.st_mode) || st.st_nlink < 2)
        return 0;
    return add(walk, walk->at, folder, &st, entry->d_name);
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
        if (++walk->seen > walk->most) {
            walk->links->is_cut = walk->is_full = true;
            return 1;
        }
        int result = 0;
        if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) {
            if (cf_bytes_format(&walk->path, walk->err, "/%s", name) < 0)
                return -1;
            result = walk_folder(walk, dirfd(dir), name, depth + 1);
            walk->path.len = length;
            walk->path.data[length] = '\0';
        }
        if (result == 0 && entry->d_type != DT_DIR)
            result = walk->judge(walk, dirfd(dir), folder, entry);
        if (result != 0)
            return result;
    }
    return 0;
}

/* Is it of the file system that is being walked, or of one that is walked with it? */
static bool is_within(const struct walk *walk, int fd, const struct stat *folder, int depth)
{
    struct statfs about;
    if (depth == 0 || folder->st_dev == walk->dev)
        return true;
    return walk->is_cut_by_mounts && fstatfs(fd, &about) == 0 && about.f_type == TMPFS_MAGIC;
}

static int walk_folder(struct walk *walk, int parent, const char *name, int depth)
{
    struct stat st;
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        bool is_gone = errno == ENOTDIR || errno == ELOOP || errno == ENOENT;
        bool is_closed = errno == EACCES;
        /* What cannot be searched either shows the command nothing. */
        bool is_shut = is_closed && faccessat(parent, name, X_OK, AT_EACCESS) < 0;
        return is_gone || is_shut ? 0 : note_cut(walk, walk->path.data, is_closed);
    }
    bool within = fstat(fd, &st) == 0 && is_within(walk, fd, &st, depth);
    bool is_read = within && depth <= walk->deepest;
    DIR *dir = is_read ? fdopendir(fd) : NULL;
    if (dir == NULL) {
        cf_close_fd(&fd);
        bool is_cut = depth > walk->deepest || is_read || walk->is_cut_by_mounts;
        return is_cut ? note_cut(walk, walk->path.data, false) : 0;
    }
    dev_t around = walk->dev;
    walk->dev = st.st_dev;
    int result = walk_entries(walk, dir, &st, depth);
    walk->dev = around;
    closedir(dir);
    return result;
}

/* The folder in which the walk was full, and those after it, which it did not come to. */
static int note_rest(struct walk *walk, const char *const *folders, size_t count, size_t at)
{
    for (; at < count; at++)
        if (note_cut(walk, folders[at], false) < 0)
            return -1;
    return 0;
}

/* Starts anew in each folder; a walk that is over in one is over in all, unless `each`. */
static int walk_all(struct walk *walk, const char *const *folders, size_t count, bool each)
{
    int result = 0;
    for (walk->at = 0; walk->at < count && result == 0; walk->at++) {
        const char *folder = folders[walk->at];
        cf_bytes_free(&walk->path);
        if (each)
            walk->seen = 0;
        if (cf_bytes_text(&walk->path, strcmp(folder, "/") == 0 ? "" : folder, walk->err) < 0)
            result = -1;
        else
            result = walk_folder(walk, AT_FDCWD, folder, 0);
        if (result > 0 && walk->is_full && !each &&
            note_rest(walk, folders, count, walk->at) < 0)
            result = -1;
        if (each && result > 0)
            result = 0;
    }
    cf_bytes_free(&walk->path);
    return result < 0 ? -1 : 0;
}

int cf_links_find(const struct cf_links_wish *wishes, size_t wish_count,
                  const char *const *folders, size_t folder_count, struct cf_links *links,
                  struct cf_error *err)
{
    struct walk walk = {
        .wishes = wishes,
        .wish_count = wish_count,
        .counts = calloc(wish_count + 1, sizeof *walk.counts),
        .judge = judge_wished,
        .most = CF_LINKS_ENTRIES,
        .deepest = DEEPEST,
        .path = CF_BYTES_EMPTY,
        .links = links,
        .err = err,
    };
    if (walk.counts == NULL)
        return cf_fail(err, ENOMEM, "find links");
    int result = walk_all(&walk, folders, folder_count, false);
    free(walk.counts);
    return result;
}

int cf_links_sockets(const char *const *folders, size_t folder_count, struct cf_links *links,
                     struct cf_error *err)
{
    struct walk walk = {
        .judge = judge_socket,
        .most = CF_LINKS_ENTRIES,
        .deepest = DEEPEST,
        .is_cut_by_mounts = true,
        .path = CF_BYTES_EMPTY,
        .links = links,
        .err = err,
    };
    return walk_all(&walk, folders, folder_count, false);
}

int cf_links_several(const char *const *folders, size_t folder_count, struct cf_links *links,
                     struct cf_error *err)
{
    struct walk walk = {
        .judge = judge_several,
        .most = CF_LINKS_INSIDE,
        .deepest = 1,
        .path = CF_BYTES_EMPTY,
        .links = links,
        .err = err,
    };
    return walk_all(&walk, folders, folder_count, true);
}

void cf_links_free(struct cf_links *links)
{
    for (size_t at = 0; at < links->len; at++)
        free(links->items[at].path);
    free(links->items);
    for (size_t at = 0; at < links->cut_len; at++)
        free(links->cuts[at].path);
    *links = (struct cf_links)CF_LINKS_EMPTY;
}
