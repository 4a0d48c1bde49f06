/* Lines of numbers and a path, read backwards: what is in a folder was made after it. */
#include "stage/record.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/fds.h"

int cf_record_write(int fd, const struct cf_record_line *line)
{
    char text[PATH_MAX + 160];
    int length = snprintf(text, sizeof text, "%c %llu %llu %llu %lld %lld %s", line->kind,
                          (unsigned long long)line->dev, (unsigned long long)line->ino,
                          (unsigned long long)line->size, (long long)line->written,
                          (long long)line->changed, line->path);
    if (length < 0 || (size_t)length >= sizeof text) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return cf_write_all(fd, text, (size_t)length + 1, NULL);
}

struct cf_record cf_record_read(int fd)
{
    struct stat st;
    struct cf_record record = { NULL, 0 };
    if (fstat(fd, &st) < 0 || st.st_size <= 0)
        return record;
    void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED)
        record = (struct cf_record){ data, (size_t)st.st_size };
    return record;
}

void cf_record_free(struct cf_record *record)
{
    if (record->data != NULL)
        munmap(record->data, record->size);
}

bool cf_record_previous(const struct cf_record *record, size_t *end,
                        struct cf_record_line *line)
{
    while (*end > 0 && record->data[*end - 1] != '\0')
        (*end)--;
    if (*end == 0)
        return false;
    size_t at = *end - 1;
    while (at > 0 && record->data[at - 1] != '\0')
        at--;
    *end = at;
    const char *start = record->data + at;
    char *rest = (char *)start;
    line->kind = start[0];
    line->dev = start[0] == '\0' ? 0 : strtoull(start + 1, &rest, 10);
    line->ino = strtoull(rest, &rest, 10);
    line->size = strtoull(rest, &rest, 10);
    line->written = strtoll(rest, &rest, 10);
    line->changed = strtoll(rest, &rest, 10);
    line->path = rest[0] == ' ' ? rest + 1 : rest;
    return true;
}
