/* Listing, reading and the permission to write, each on a descriptor rather than on a name. */
#include "host/paths.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"
#include "host/folder.h"

void cf_listing_free(struct cf_listing *listing)
{
    for (size_t at = 0; at < listing->len; at++)
        free(listing->items[at].target);
    free(listing->items);
    cf_bytes_free(&listing->names);
    *listing = (struct cf_listing){ .len = 0 };
}

static int read_target(int folder, struct cf_listed *listed, struct cf_error *err)
{
    char target[PATH_MAX];
    ssize_t len = readlinkat(folder, listed->name, target, sizeof target);
    if (len < 0)
        return 0;
    listed->target = strndup(target, (size_t)len);
    if (listed->target == NULL)
        return cf_fail(err, ENOMEM, "read the link %s", listed->name);
    return 0;
}

/* 1 when the name has vanished. */
static int find_kind(int folder, struct cf_listed *listed, const char *path,
                     struct cf_error *err)
{
    struct stat about;
    unsigned char type = cf_folder_type(listed->name);
    listed->kind = (mode_t)DTTOIF(type);
    if (type != DT_UNKNOWN)
        return 0;
    if (fstatat(folder, listed->name, &about, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT) < 0)
        return errno == ENOENT ? 1 : cf_fail(err, errno, "lstat %s/%s", path, listed->name);
    listed->kind = about.st_mode & S_IFMT;
    return 0;
}

int cf_paths_list(const char *path, struct cf_listing *listing, struct cf_error *err)
{
    *listing = (struct cf_listing){ .len = 0 };
    cf_autofolder struct cf_folder folder = CF_FOLDER_CLOSED;
    if (cf_folder_read(AT_FDCWD, path, path, &folder, err) < 0)
        return -1;
    struct stat about;
    if (fstatat(folder.fd, ".", &about, 0) < 0)
        return cf_fail(err, errno, "search %s", path);
    listing->items = calloc(folder.len + 1, sizeof *listing->items);
    if (listing->items == NULL)
        return cf_fail(err, ENOMEM, "list %s", path);
    for (size_t at = 0; at < folder.len; at++) {
        struct cf_listed *listed = &listing->items[listing->len];
        *listed = (struct cf_listed){ .name = folder.names[at] };
        int gone = find_kind(folder.fd, listed, path, err);
        if (gone == 0 && S_ISLNK(listed->kind))
            gone = read_target(folder.fd, listed, err);
        listing->len += gone <= 0;
        if (gone < 0) {
            cf_listing_free(listing);
            return -1;
        }
    }
    /* The names outlive the folder's descriptor. */
    listing->names = folder.text;
    folder.text = (struct cf_bytes)CF_BYTES_EMPTY;
    return 0;
}

/* faccessat2 is of kernel 5.8; before it, access(2) through /proc judges by the real ids. */
static int may_write(int fd)
{
    if (syscall(SYS_faccessat2, fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0)
        return 0;
    if (errno != ENOSYS)
        return -1;
    if (geteuid() != getuid() || getegid() != getgid()) {
        errno = ENOSYS;
        return -1;
    }
    char link[40];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return access(link, W_OK);
}

int cf_paths_writable(const char *path, struct cf_error *err)
{
    cf_autoclose int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 && errno == EACCES)
        return geteuid() == 0;
    if (fd < 0)
        return cf_fail(err, errno, "open %s", path);
    if (geteuid() == 0 || may_write(fd) == 0 || errno == EROFS)
        return 1;
    if (errno == EACCES || errno == EPERM)
        return 0;
    return cf_fail(err, errno, "access %s", path);
}

int cf_paths_read(const char *path, size_t max, bool follow, struct cf_bytes *to,
                  struct cf_error *err)
{
    int last = follow ? 0 : O_NOFOLLOW;
    struct stat about;
    /* Asked before it is opened: to open a device or a pipe can have effects of its own. */
    if (fstatat(AT_FDCWD, path, &about, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0)
        return cf_fail(err, errno, "open %s", path);
    if (S_ISLNK(about.st_mode))
        return cf_fail(err, ELOOP, "open %s", path);
    if (!S_ISREG(about.st_mode))
        return cf_fail(err, EINVAL, "read %s: not a regular file", path);
    cf_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | last);
    if (fd < 0)
        return cf_fail(err, errno, "open %s", path);
    if (fstat(fd, &about) < 0)
        return cf_fail(err, errno, "fstat %s", path);
    if (!S_ISREG(about.st_mode))
        return cf_fail(err, EINVAL, "read %s: not a regular file", path);
    return cf_read_all(fd, path, max, to, err);
}

char *cf_cwd_read(struct cf_error *err)
{
    char *path = getcwd(NULL, 0);
    if (path == NULL) {
        cf_fail(err, errno, "getcwd");
        return NULL;
    }
    if (*path == '/')
        return path;
    /* The kernel writes "(unreachable)" before a folder outside the root. */
    cf_fail(err, ENOENT, "getcwd %s", path);
    free(path);
    return NULL;
}
