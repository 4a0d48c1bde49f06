/* The loops around read, write, mkdir and memfd_create that every caller would otherwise repeat. */
#include "base/fds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void cf_close_fd(int *fd)
{
    if (*fd < 0)
        return;
    int saved = errno;
    close(*fd);
    errno = saved;
    *fd = -1;
}

int cf_take_fd(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

int cf_read_all(int fd, const char *subject, size_t max, struct cf_bytes *to,
                struct cf_error *err)
{
    size_t start = to->len;
    size_t step = 4096;
    for (;;) {
        if (cf_bytes_reserve(to, step, err) < 0)
            return -1;
        ssize_t got = read(fd, to->data + to->len, to->cap - to->len - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cf_fail(err, errno, "read %s", subject);
        to->len += (size_t)got;
        to->data[to->len] = '\0';
        if (to->len - start > max) {
            to->len = start + max;
            to->data[to->len] = '\0';
            return cf_fail(err, EFBIG, "read %s: more than %zu bytes", subject, max);
        }
        if (got == 0)
            return 0;
        /* Kernel tables of many megabytes come in few calls, small files in one page. */
        if (step < ((size_t)1 << 20))
            step *= 2;
    }
}

int cf_read_file_at(int dir, const char *path, size_t max, struct cf_bytes *to,
                    struct cf_error *err)
{
    cf_autoclose int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cf_fail(err, errno, "open %s", path);
    return cf_read_all(fd, path, max, to, err);
}

int cf_write_all(int fd, const void *data, size_t len, struct cf_error *err)
{
    const char *at = data;
    while (len > 0) {
        ssize_t put = write(fd, at, len);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return cf_fail(err, errno, "write to descriptor %d", fd);
        at += put;
        len -= (size_t)put;
    }
    return 0;
}

int cf_folders_make(const char *path, struct cf_error *err)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part)
        return cf_fail(err, ENAMETOOLONG, "mkdir %s", path);
    mode_t before = umask(077);
    int made = 0;
    for (size_t at = 1; at <= length && made == 0; at++) {
        if (path[at] != '/' && path[at] != '\0')
            continue;
        memcpy(part, path, at);
        part[at] = '\0';
        if (mkdir(part, 0700) < 0 && errno != EEXIST)
            made = cf_fail(err, errno, "mkdir %s", part);
    }
    umask(before);
    return made;
}

int cf_memfd_from(const char *label, const void *data, size_t len, struct cf_error *err)
{
    cf_autoclose int fd = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return cf_fail(err, errno, "memfd_create %s", label);
    if (cf_write_all(fd, data, len, err) < 0)
        return -1;
    if (lseek(fd, 0, SEEK_SET) < 0)
        return cf_fail(err, errno, "rewind %s", label);
    /* The reader must see what the plan said, whatever happens to our copy afterwards. */
    int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;
    if (fcntl(fd, F_ADD_SEALS, seals) < 0)
        return cf_fail(err, errno, "seal %s", label);
    return cf_take_fd(&fd);
}
