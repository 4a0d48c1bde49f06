/* Walks /proc and reads what its permission bits leave to uid 0, the owner of most. */
#include "guard/proc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "guard/switch.h"

/* Folders of /proc are three or four deep; more would be a surprise. */
#define DEEPEST 16

/* What everybody may write, such as the pressure triggers, the kernel means for everybody. */
static bool is_writable(const struct stat *st)
{
    mode_t bits = st->st_uid == geteuid() ? S_IWUSR : S_IWGRP;
    return (st->st_mode & bits) != 0 && (st->st_mode & S_IWOTH) == 0;
}

static bool holds_writable(int parent, const char *name, int depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 || depth > DEEPEST ? NULL : fdopendir(fd);
    if (dir == NULL) {
        /* What cannot be looked into is covered, unless nobody can. */
        bool is_closed = fd < 0 && (errno == EACCES || errno == ENOENT);
        cf_close_fd(&fd);
        return !is_closed;
    }
    bool found = false;
    struct dirent *entry;
    while (!found && (entry = readdir(dir)) != NULL) {
        struct stat st;
        if (entry->d_name[0] == '.' || entry->d_type == DT_LNK ||
            fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        found = S_ISDIR(st.st_mode) ? holds_writable(fd, entry->d_name, depth + 1)
                                    : S_ISREG(st.st_mode) && is_writable(&st);
    }
    closedir(dir);
    return found;
}

static int add(struct cf_proc_entries *found, const char *name, bool is_folder,
               struct cf_error *err)
{
    if (found->len == CF_PROC_ENTRIES_MAX)
        return cf_fail(err, ENOSPC, "list what uid 0 may write in /proc");
    struct cf_proc_entry *entry = &found->items[found->len];
    entry->is_folder = is_folder;
    if (snprintf(entry->path, sizeof entry->path, "/proc/%s", name) >= (int)sizeof entry->path)
        return cf_fail(err, ENAMETOOLONG, "list /proc/%s", name);
    found->len++;
    return 0;
}

static int walk(DIR *dir, struct cf_proc_entries *found, struct cf_error *err)
{
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        const char *name = entry->d_name;
        struct stat st;
        /* Numbers are processes; self, net and the like are links. */
        if (name[0] == '.' || (name[0] >= '0' && name[0] <= '9') || entry->d_type == DT_LNK ||
            fstatat(dirfd(dir), name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        bool is_folder = S_ISDIR(st.st_mode);
        bool is_found = is_folder ? holds_writable(dirfd(dir), name, 0)
                                  : S_ISREG(st.st_mode) && is_writable(&st);
        if (is_found && add(found, name, is_folder, err) < 0)
            return -1;
    }
    return 0;
}

static int compare_paths(const void *one, const void *other)
{
    const struct cf_proc_entry *a = one, *b = other;
    return strcmp(a->path, b->path);
}

int cf_proc_exposed(struct cf_proc_entries *entries, struct cf_error *err)
{
    entries->len = 0;
    if (geteuid() != 0 || !cf_guard_is_on("proc"))
        return 0;
    DIR *dir = opendir("/proc");
    if (dir == NULL)
        return cf_fail(err, errno, "open /proc");
    int result = walk(dir, entries, err);
    closedir(dir);
    qsort(entries->items, entries->len, sizeof *entries->items, compare_paths);
    return result;
}
