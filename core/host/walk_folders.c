/* A table from (folder, name) to what it is, and a ring of open folders. */
#include "host/walk_folders.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/fds.h"
#include "host/magic.h"
#include "host/walk.h"

/* Well below the 256 descriptors that the meanest of hosts allows a process. */
#define OPEN_MAX_FOLDERS 64

struct cf_walk_folder {
    struct cf_walk_folder *parent;
    char *path;
    int fd; /* -1 when given up to the ring */
};

struct entry {
    struct cf_walk_folder *in;
    size_t len;
    struct cf_walk_name found;
    char name[];
};

struct cf_walk {
    struct cf_walk_folder root;
    struct entry **slots; /* open addressing, a power of two of them */
    size_t slot_count;
    size_t used;
    struct cf_walk_folder *ring[OPEN_MAX_FOLDERS];
    size_t ring_at;
};

static void entry_free(struct entry *entry)
{
    if (entry->found.folder != NULL) {
        cf_close_fd(&entry->found.folder->fd);
        free(entry->found.folder->path);
        free(entry->found.folder);
    }
    free(entry->found.target);
    free(entry);
}

struct cf_walk *cf_walk_new(struct cf_error *err)
{
    struct cf_walk *walk = calloc(1, sizeof *walk);
    if (walk == NULL) {
        cf_fail(err, ENOMEM, "begin a walk");
        return NULL;
    }
    walk->root.parent = &walk->root;
    walk->root.fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (walk->root.fd < 0) {
        cf_fail(err, errno, "open /");
        free(walk);
        return NULL;
    }
    return walk;
}

void cf_walk_free(struct cf_walk *walk)
{
    if (walk == NULL)
        return;
    for (size_t at = 0; at < walk->slot_count; at++)
        if (walk->slots[at] != NULL)
            entry_free(walk->slots[at]);
    free(walk->slots);
    cf_close_fd(&walk->root.fd);
    free(walk);
}

void cf_walk_done(struct cf_walk **walk)
{
    cf_walk_free(*walk);
}

struct cf_walk_folder *cf_walk_root(struct cf_walk *walk)
{
    return &walk->root;
}

struct cf_walk_folder *cf_walk_folder_parent(struct cf_walk_folder *folder)
{
    return folder->parent;
}

const char *cf_walk_folder_path(const struct cf_walk_folder *folder)
{
    return folder->path != NULL ? folder->path : "/";
}

/* The oldest descriptor makes room. Its folder can be opened again. */
static void ring_add(struct cf_walk *walk, struct cf_walk_folder *folder)
{
    struct cf_walk_folder **place = &walk->ring[walk->ring_at++ % OPEN_MAX_FOLDERS];
    if (*place != NULL)
        cf_close_fd(&(*place)->fd);
    *place = folder;
}

static int open_folder(int at, const char *name)
{
    return openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int cf_walk_folder_fd(struct cf_walk *walk, struct cf_walk_folder *folder)
{
    if (folder->fd >= 0 || folder == &walk->root)
        return folder->fd;
    int above = cf_walk_folder_fd(walk, folder->parent);
    if (above < 0)
        return -1;
    folder->fd = open_folder(above, strrchr(folder->path, '/') + 1);
    if (folder->fd >= 0)
        ring_add(walk, folder);
    return folder->fd;
}

static size_t hash(const struct cf_walk_folder *in, const char *name, size_t len)
{
    uint64_t value = 0xcbf29ce484222325u ^ (uintptr_t)in;
    for (size_t at = 0; at < len; at++)
        value = (value ^ (unsigned char)name[at]) * 0x100000001b3u;
    return (size_t)(value ^ value >> 29);
}

/* The slot that holds the name or is free for it. There is always a free one. */
static struct entry **find_slot(struct cf_walk *walk, const struct cf_walk_folder *in,
                                const char *name, size_t len)
{
    size_t mask = walk->slot_count - 1;
    for (size_t at = hash(in, name, len) & mask;; at = (at + 1) & mask) {
        struct entry *entry = walk->slots[at];
        if (entry == NULL ||
            (entry->in == in && entry->len == len && memcmp(entry->name, name, len) == 0))
            return &walk->slots[at];
    }
}

static int grow(struct cf_walk *walk, struct cf_error *err)
{
    if (walk->used * 2 < walk->slot_count)
        return 0;
    struct cf_walk old = *walk;
    walk->slot_count = old.slot_count == 0 ? 256 : old.slot_count * 2;
    walk->slots = calloc(walk->slot_count, sizeof *walk->slots);
    if (walk->slots == NULL) {
        *walk = old;
        return cf_fail(err, ENOMEM, "remember %zu names", old.used);
    }
    for (size_t at = 0; at < old.slot_count; at++) {
        struct entry *entry = old.slots[at];
        if (entry != NULL)
            *find_slot(walk, entry->in, entry->name, entry->len) = entry;
    }
    free(old.slots);
    return 0;
}

static void found_unknown(struct cf_walk_name *found, const char *operation, int number)
{
    *found = (struct cf_walk_name){ .kind = CF_WALK_UNKNOWN,
                                    .operation = operation,
                                    .number = number };
}

static int find_link(int folder, const char *name, struct cf_walk_name *found,
                     struct cf_error *err)
{
    char text[PATH_MAX];
    ssize_t len = readlinkat(folder, name, text, sizeof text);
    if (len < 0 && errno == EINVAL) {
        found->kind = CF_WALK_FILE;
        return 0;
    }
    if (len < 0 || len == sizeof text) {
        found_unknown(found, "readlink", len < 0 ? errno : ENAMETOOLONG);
        return 0;
    }
    text[len] = '\0';
    int reason = cf_magic_check(folder, name, text);
    if (reason != 0) {
        found_unknown(found, "follow", reason);
        return 0;
    }
    found->kind = CF_WALK_LINK;
    found->target = strdup(text);
    return found->target == NULL ? cf_fail(err, ENOMEM, "follow %s", name) : 0;
}

static int find_folder(struct cf_walk *walk, struct entry *entry, int fd, struct cf_error *err)
{
    cf_autoclose int owned = fd;
    struct cf_walk_folder *folder = calloc(1, sizeof *folder);
    struct cf_bytes path = CF_BYTES_EMPTY;
    if (folder == NULL)
        return cf_fail(err, ENOMEM, "open %s", entry->name);
    if ((entry->in->path != NULL && cf_bytes_text(&path, entry->in->path, err) < 0) ||
        cf_bytes_append(&path, "/", 1, err) < 0 || cf_bytes_text(&path, entry->name, err) < 0) {
        cf_bytes_free(&path);
        free(folder);
        return -1;
    }
    *folder = (struct cf_walk_folder){ entry->in, path.data, cf_take_fd(&owned) };
    entry->found = (struct cf_walk_name){ .kind = CF_WALK_FOLDER, .folder = folder };
    ring_add(walk, folder);
    return 0;
}

static int find_out(struct cf_walk *walk, struct entry *entry, struct cf_error *err)
{
    int above = cf_walk_folder_fd(walk, entry->in);
    int fd = above < 0 ? -1 : open_folder(above, entry->name);
    if (fd >= 0)
        return find_folder(walk, entry, fd, err);
    if (above >= 0 && errno == ENOENT)
        entry->found.kind = CF_WALK_ABSENT;
    else if (above >= 0 && (errno == ENOTDIR || errno == ELOOP))
        return find_link(above, entry->name, &entry->found, err);
    else
        found_unknown(&entry->found, "open", errno);
    return 0;
}

const struct cf_walk_name *cf_walk_name(struct cf_walk *walk, struct cf_walk_folder *folder,
                                        const char *name, size_t len, struct cf_error *err)
{
    if (grow(walk, err) < 0)
        return NULL;
    struct entry **slot = find_slot(walk, folder, name, len);
    if (*slot != NULL)
        return &(*slot)->found;
    struct entry *entry = calloc(1, sizeof *entry + len + 1);
    if (entry == NULL) {
        cf_fail(err, ENOMEM, "remember %.*s", (int)len, name);
        return NULL;
    }
    entry->in = folder;
    entry->len = len;
    memcpy(entry->name, name, len);
    if (find_out(walk, entry, err) < 0) {
        entry_free(entry);
        return NULL;
    }
    *slot = entry;
    walk->used++;
    return &entry->found;
}

int cf_walk_stat(struct cf_walk *walk, struct cf_walk_folder *folder, const char *name,
                 size_t len, struct stat *about)
{
    char text[PATH_MAX];
    memcpy(text, name, len);
    text[len] = '\0';
    if (walk->used > 0) {
        const struct entry *known = *find_slot(walk, folder, name, len);
        if (known != NULL && known->found.kind == CF_WALK_ABSENT)
            return ENOENT;
    }
    int fd = cf_walk_folder_fd(walk, folder);
    if (fd < 0 || fstatat(fd, text, about, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
        return errno;
    return 0;
}
