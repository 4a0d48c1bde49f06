/* Reads and lists the share folder; hidden files and anything but files and folders is no part. */
#include "lua/share.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"

#define STORED_MAX ((size_t)16 << 20)
#define FOLDERS_ABOVE 6
#define FOLDERS_BELOW 16

static bool is_share(const char *path)
{
    char inside[PATH_MAX];
    struct stat st;
    int len = snprintf(inside, sizeof inside, "%s/policies", path);
    return len > 0 && (size_t)len < sizeof inside && stat(inside, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

static int open_share(const char *path, struct cf_error *err)
{
    int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? cf_fail(err, errno, "open %s", path) : fd;
}

int cf_share_open(struct cf_error *err)
{
    const char *given = secure_getenv("CONFINE_LUA_SHARE");
    if (given != NULL && given[0] != '\0')
        return open_share(given, err);

    Dl_info info;
    char above[PATH_MAX];
    char share[PATH_MAX + sizeof "/share/confine-lua"];
    if (dladdr((const void *)(uintptr_t)cf_share_open, &info) == 0 || info.dli_fname == NULL ||
        realpath(info.dli_fname, above) == NULL)
        return cf_fail(err, ENOENT, "find the share folder of this module");
    for (int level = 0; level < FOLDERS_ABOVE; level++) {
        char *slash = strrchr(above, '/');
        if (slash == NULL || slash == above)
            break;
        *slash = '\0';
        snprintf(share, sizeof share, "%s/share/confine-lua", above);
        if (is_share(share))
            return open_share(share, err);
        if (is_share(above))
            return open_share(above, err);
    }
    return cf_fail(err, ENOENT, "find a share folder above %s", info.dli_fname);
}

static bool is_plain_name(const char *name)
{
    if (name[0] == '/')
        return false;
    for (const char *at = name; (at = strstr(at, "..")) != NULL; at += 2)
        if ((at == name || at[-1] == '/') && (at[2] == '\0' || at[2] == '/'))
            return false;
    return true;
}

int cf_share_read(const char *name, struct cf_bytes *text, struct cf_error *err)
{
    if (!is_plain_name(name))
        return cf_fail(err, ENOENT, "open %s", name);
    cf_autoclose int share = cf_share_open(err);
    if (share < 0)
        return -1;
    return cf_read_file_at(share, name, STORED_MAX, text, err);
}

static int add_name(struct cf_names *names, const char *name, struct cf_error *err)
{
    char **items =
        cf_array_grow(names->items, &names->cap, names->count + 1, sizeof *items, err);
    if (items == NULL)
        return -1;
    names->items = items;
    items[names->count] = strdup(name);
    if (items[names->count] == NULL)
        return cf_fail(err, ENOMEM, "list %s", name);
    names->count++;
    return 0;
}

static void close_dir(DIR **dir)
{
    if (*dir != NULL)
        closedir(*dir);
}

/* `at` is a folder's name below the share with a trailing slash, or "" for the share itself. */
static int walk(int share, const char *at, const char *prefix, int depth,
                struct cf_names *names, struct cf_error *err)
{
    int fd = openat(share, at[0] != '\0' ? at : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT || errno == ENOTDIR ? 0 : cf_fail(err, errno, "open %s", at);
    __attribute__((cleanup(close_dir))) DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        close(fd);
        return cf_fail(err, errno, "list %s", at);
    }
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        struct stat st;
        if (entry->d_name[0] == '.' || fstatat(fd, entry->d_name, &st, 0) < 0)
            continue;
        bool is_dir = S_ISDIR(st.st_mode);
        cf_autobytes struct cf_bytes name = CF_BYTES_EMPTY;
        if (cf_bytes_format(&name, err, "%s%s%s", at, entry->d_name, is_dir ? "/" : "") < 0)
            return -1;
        size_t len = strlen(prefix) < name.len ? strlen(prefix) : name.len;
        if (strncmp(name.data, prefix, len) != 0)
            continue;
        if (is_dir && depth > 0 && walk(share, name.data, prefix, depth - 1, names, err) < 0)
            return -1;
        if (S_ISREG(st.st_mode) && len == strlen(prefix) && add_name(names, name.data, err) < 0)
            return -1;
    }
    return 0;
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int cf_share_list(const char *prefix, struct cf_names *names, struct cf_error *err)
{
    if (!is_plain_name(prefix))
        return 0;
    cf_autoclose int share = cf_share_open(err);
    if (share < 0)
        return -1;
    /* The walk starts where the prefix points, so that a checkout's other folders cost nothing. */
    cf_autobytes struct cf_bytes start = CF_BYTES_EMPTY;
    const char *slash = strrchr(prefix, '/');
    size_t len = slash != NULL ? (size_t)(slash - prefix) + 1 : 0;
    if (cf_bytes_append(&start, prefix, len, err) < 0 ||
        walk(share, start.data, prefix, FOLDERS_BELOW, names, err) < 0)
        return -1;
    if (names->items != NULL)
        qsort(names->items, names->count, sizeof *names->items, by_bytes);
    return 0;
}

void cf_names_free(struct cf_names *names)
{
    for (size_t at = 0; at < names->count; at++)
        free(names->items[at]);
    free(names->items);
    *names = (struct cf_names){ 0 };
}
