/* Files whose first line says what they are valid for, replaced by rename. */
#include "host/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"

#define KEY_MAX 400
#define NAME_SIZE 64

#define TEXT_MAX ((size_t)1 << 20)

int cf_cache_open(const char *path, struct cf_error *err)
{
    struct stat about;
    mode_t before = umask(077);
    int made = mkdir(path, 0700), number = errno;
    umask(before);
    if (made < 0 && number != EEXIST)
        return cf_fail(err, number, "mkdir %s", path);
    cf_autoclose int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) < 0)
        return cf_fail(err, errno, "open %s", path);
    if (about.st_uid != geteuid() || (about.st_mode & 077) != 0)
        return cf_fail(err, EPERM, "remember in %s (uid %u, mode %04o)", path, about.st_uid,
                       about.st_mode & 07777);
    return cf_take_fd(&fd);
}

int cf_cache_make(const char *path, struct cf_error *err)
{
    return cf_folders_make(path, err) < 0 ? -1 : cf_cache_open(path, err);
}

int cf_cache_get(int cache, const char *name, const char *key, struct cf_bytes *to)
{
    struct stat about;
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    cf_autoclose int fd = openat(cache, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &about) < 0 || !S_ISREG(about.st_mode) ||
        about.st_uid != geteuid() || cf_read_all(fd, name, TEXT_MAX, &text, NULL) < 0)
        return 0;
    size_t len = strlen(key);
    if (text.len <= len || memcmp(text.data, key, len) != 0 || text.data[len] != '\n')
        return 0;
    return cf_bytes_append(to, text.data + len + 1, text.len - len - 1, NULL) == 0;
}

int cf_cache_put(int cache, const char *name, const char *key, const char *text, size_t len,
                 struct cf_error *err)
{
    char fresh[64];
    snprintf(fresh, sizeof fresh, ".new.%d", (int)getpid());
    cf_autoclose int fd =
        openat(cache, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return cf_fail(err, errno, "create %s", fresh);
    if (cf_write_all(fd, key, strlen(key), err) < 0 || cf_write_all(fd, "\n", 1, err) < 0 ||
        cf_write_all(fd, text, len, err) < 0) {
        unlinkat(cache, fresh, 0);
        return -1;
    }
    if (renameat(cache, fresh, cache, name) < 0) {
        int number = errno;
        unlinkat(cache, fresh, 0);
        return cf_fail(err, number, "rename %s to %s", fresh, name);
    }
    return 0;
}

/*
 * How many filters judge our system calls, and the label that a security module gave us: two
 * processes of the same namespaces may be allowed different things by these.
 */
static unsigned long confinement(char *label, size_t size)
{
    cf_autobytes struct cf_bytes status = CF_BYTES_EMPTY, current = CF_BYTES_EMPTY;
    const char *filters = NULL;
    if (cf_read_file_at(AT_FDCWD, "/proc/self/status", 65536, &status, NULL) == 0 &&
        status.data != NULL)
        filters = strstr(status.data, "\nSeccomp_filters:");
    if (cf_read_file_at(AT_FDCWD, "/proc/self/attr/current", 256, &current, NULL) < 0 ||
        current.data == NULL)
        label[0] = '\0';
    else
        snprintf(label, size, "%.*s", (int)strcspn(current.data, "\n"), current.data);
    return filters == NULL ? 0 : strtoul(filters + strlen("\nSeccomp_filters:"), NULL, 10);
}

/* Names the question as asked here; -1 when /proc does not say where here is. */
static int here(const char *what, const char *identity, char *name, char *key)
{
    struct stat mounts, users;
    char label[128];
    cf_autobytes struct cf_bytes boot = CF_BYTES_EMPTY;
    if (stat("/proc/self/ns/mnt", &mounts) < 0 || stat("/proc/self/ns/user", &users) < 0 ||
        cf_read_file_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 64, &boot, NULL) < 0 ||
        boot.data == NULL)
        return -1;
    boot.data[strcspn(boot.data, "\n")] = '\0';
    unsigned long filters = confinement(label, sizeof label);
    snprintf(key, KEY_MAX, "%s mnt:%llu user:%llu filters:%lu label:%s %s", boot.data,
             (unsigned long long)mounts.st_ino, (unsigned long long)users.st_ino, filters,
             label, identity);
    snprintf(name, NAME_SIZE, "%s.%llu.%lu", what, (unsigned long long)mounts.st_ino, filters);
    return 0;
}

bool cf_cache_has_yes(const char *folder, const char *what, const char *identity)
{
    char key[KEY_MAX], name[NAME_SIZE];
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    cf_autoclose int store = folder == NULL ? -1 : cf_cache_open(folder, NULL);
    return store >= 0 && here(what, identity, name, key) == 0 &&
           cf_cache_get(store, name, key, &text) == 1 && text.len == 4 &&
           memcmp(text.data, "yes\n", 4) == 0;
}

void cf_cache_put_yes(const char *folder, const char *what, const char *identity)
{
    char key[KEY_MAX], name[NAME_SIZE];
    cf_autoclose int store = folder == NULL ? -1 : cf_cache_open(folder, NULL);
    if (store >= 0 && here(what, identity, name, key) == 0)
        cf_cache_put(store, name, key, "yes\n", 4, NULL);
}
