/* Finds the caller's control group in the file system, and sweeps what ended runs left there. */
#include "guard/cgroup_place.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/mounts.h"

/* The path behind "0::", the line of version 2, ended in place; NULL when there is none. */
static char *own_group(struct cf_bytes *text)
{
    char *line = strstr(text->data, "0::");
    while (line != NULL && line != text->data && line[-1] != '\n')
        line = strstr(line + 1, "0::");
    if (line == NULL)
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line + 3;
}

/* What of `path` lies below `root`, beginning with a slash or empty; NULL when it does not. */
static const char *below(const char *root, const char *path)
{
    size_t len = strcmp(root, "/") == 0 ? 0 : strlen(root);
    if (strncmp(root, path, len) != 0 || (path[len] != '/' && path[len] != '\0'))
        return NULL;
    return strcmp(path + len, "/") == 0 ? "" : path + len;
}

int cf_cgroup_find(struct cf_bytes *path, size_t *top, struct cf_error *err)
{
    static const char file[] = "/proc/self/cgroup";
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, file, 65536, &text, err) < 0)
        return -1;
    const char *own = own_group(&text);
    /* "/.." is a group outside the caller's cgroup namespace. */
    if (own == NULL || own[0] != '/' || strncmp(own, "/..", 3) == 0)
        return cf_fail(err, 0, "%s names no group of version 2 that is in reach", file);
    struct cf_mounts mounts = { 0 };
    int result = cf_mounts_read(0, &mounts, err);
    for (size_t at = 0; result == 0 && at < mounts.len; at++) {
        const struct cf_mount *mount = &mounts.items[at];
        const char *rest =
            strcmp(mount->fstype, "cgroup2") == 0 ? below(mount->root, own) : NULL;
        if (rest == NULL)
            continue;
        *top = path->len + strlen(mount->path);
        result = cf_bytes_format(path, err, "%s%s", mount->path, rest) < 0 ? -1 : 1;
    }
    cf_mounts_free(&mounts);
    if (result == 0)
        return cf_fail(err, 0, "no cgroup v2 file system is mounted that holds %s", own);
    return result < 0 ? -1 : 0;
}

void cf_cgroup_sweep(int parent)
{
    int fd = openat(parent, ".", O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (dir == NULL) {
        cf_close_fd(&fd);
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        int launcher, end = 0;
        unsigned serial;
        if (sscanf(entry->d_name, CF_CGROUP_PREFIX "%d-%u%n", &launcher, &serial, &end) == 2 &&
            entry->d_name[end] == '\0' && launcher > 0 && kill(launcher, 0) < 0 &&
            errno == ESRCH)
            unlinkat(parent, entry->d_name, AT_REMOVEDIR);
    }
    closedir(dir);
}
