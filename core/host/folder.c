/* Reads a folder's names by getdents64 into one buffer, so that no name costs an allocation. */
#include "host/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fds.h"

static int by_byte(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* The names one after another, each after the byte of its type and with its NUL. */
static int read_names(struct cf_folder *folder, const char *subject, struct cf_error *err)
{
    _Alignas(struct dirent64) char block[32768];
    for (;;) {
        ssize_t got = getdents64(folder->fd, block, sizeof block);
        if (got < 0)
            return cf_fail(err, errno, "list %s", subject);
        if (got == 0)
            return 0;
        for (ssize_t at = 0; at < got;) {
            const struct dirent64 *entry = (const struct dirent64 *)(block + at);
            at += entry->d_reclen;
            if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
                continue;
            size_t len = strlen(entry->d_name) + 1;
            char type = (char)entry->d_type;
            if (cf_bytes_append(&folder->text, &type, 1, err) < 0 ||
                cf_bytes_append(&folder->text, entry->d_name, len, err) < 0)
                return -1;
            folder->len++;
        }
    }
}

int cf_folder_read(int at, const char *path, const char *subject, struct cf_folder *folder,
                   struct cf_error *err)
{
    folder->fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder->fd < 0)
        return cf_fail(err, errno, "open %s", subject);
    if (read_names(folder, subject, err) < 0)
        return -1;
    if (folder->len == 0)
        return 0;
    folder->names = calloc(folder->len, sizeof *folder->names);
    if (folder->names == NULL)
        return cf_fail(err, ENOMEM, "list %s", subject);
    char *name = folder->text.data;
    for (size_t index = 0; index < folder->len; index++) {
        folder->names[index] = ++name;
        name += strlen(name) + 1;
    }
    qsort(folder->names, folder->len, sizeof *folder->names, by_byte);
    return 0;
}

unsigned char cf_folder_type(const char *name)
{
    return (unsigned char)name[-1];
}

void cf_folder_close(struct cf_folder *folder)
{
    cf_close_fd(&folder->fd);
    free(folder->names);
    cf_bytes_free(&folder->text);
    folder->names = NULL;
    folder->len = 0;
}
