/* Parses mountinfo in place: fields are cut at blanks, then unescaped where they lie. */
#include "host/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/fds.h"

/* 100,000 mounts, the kernel's default limit, of some 500 bytes each. */
#define TABLE_MAX ((size_t)256 << 20)

/* The field up to the next blank, ended by a NUL; *at moves behind it. NULL at the end. */
static char *take_field(char **at)
{
    if (*at == NULL)
        return NULL;
    char *field = *at;
    char *blank = strchr(field, ' ');
    if (blank != NULL)
        *blank = '\0';
    *at = blank == NULL ? NULL : blank + 1;
    return field;
}

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

static void unescape(char *text)
{
    char *to = text;
    while (*text != '\0') {
        if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' && is_octal(text[2]) &&
            is_octal(text[3])) {
            *to++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 | (text[3] - '0'));
            text += 4;
        } else {
            *to++ = *text++;
        }
    }
    *to = '\0';
}

static bool read_number(const char *text, char end, const char **after, unsigned *value)
{
    char *stop;
    if (text == NULL || *text < '0' || *text > '9')
        return false;
    errno = 0;
    unsigned long number = strtoul(text, &stop, 10);
    if (errno != 0 || number > 0x7fffffff || *stop != end)
        return false;
    *value = (unsigned)number;
    if (after != NULL)
        *after = stop + 1;
    return true;
}

static bool read_device(const char *text, dev_t *dev)
{
    const char *after;
    unsigned high, low;
    if (!read_number(text, ':', &after, &high) || !read_number(after, '\0', NULL, &low))
        return false;
    *dev = makedev(high, low);
    return true;
}

/* Optional fields, none or some, end at a lone "-"; they stay one text. */
static char *take_optional(char **at)
{
    char *start = *at;
    if (start == NULL)
        return NULL;
    char *dash = strncmp(start, "- ", 2) == 0 ? start : strstr(start, " - ");
    if (dash == NULL)
        return NULL;
    *at = dash + (dash == start ? 2 : 3);
    *dash = '\0';
    return start;
}

static bool read_mount(char *line, struct cf_mount *mount)
{
    unsigned id, parent;
    char *at = line;
    if (!read_number(take_field(&at), '\0', NULL, &id) ||
        !read_number(take_field(&at), '\0', NULL, &parent) ||
        !read_device(take_field(&at), &mount->dev))
        return false;
    char *root = take_field(&at);
    char *path = take_field(&at);
    char *options = take_field(&at);
    char *optional = take_optional(&at);
    char *fstype = take_field(&at);
    char *source = take_field(&at);
    if (root == NULL || path == NULL || *path != '/' || options == NULL || optional == NULL ||
        fstype == NULL || source == NULL || at == NULL)
        return false;
    char *texts[] = { root, path, options, fstype, source, at };
    for (size_t index = 0; index < sizeof texts / sizeof *texts; index++)
        unescape(texts[index]);
    *mount = (struct cf_mount){ (int)id, (int)parent, mount->dev, root,   path,
                                options, optional,    fstype,     source, at };
    return true;
}

int cf_mounts_parse(const char *text, size_t len, struct cf_mounts *to, struct cf_error *err)
{
    if (cf_bytes_append(&to->text, text, len, err) < 0)
        return -1;
    char *at = to->text.data;
    char *end = at + len;
    while (at < end) {
        struct cf_mount mount;
        char *stop = memchr(at, '\n', (size_t)(end - at));
        char *line = at;
        at = stop == NULL ? end : stop + 1;
        if (stop != NULL)
            *stop = '\0';
        if (stop == NULL || memchr(line, '\0', (size_t)(stop - line)) != NULL ||
            !read_mount(line, &mount)) {
            to->unreadable++;
            continue;
        }
        void *items = cf_array_grow(to->items, &to->cap, to->len + 1, sizeof mount, err);
        if (items == NULL)
            return -1;
        to->items = items;
        to->items[to->len++] = mount;
    }
    return 0;
}

int cf_mounts_read(pid_t pid, struct cf_mounts *to, struct cf_error *err)
{
    char path[40] = "/proc/self/mountinfo";
    if (pid != 0)
        snprintf(path, sizeof path, "/proc/%d/mountinfo", (int)pid);
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, path, TABLE_MAX, &text, err) < 0)
        return -1;
    return cf_mounts_parse(text.data, text.len, to, err);
}

void cf_mounts_free(struct cf_mounts *mounts)
{
    free(mounts->items);
    cf_bytes_free(&mounts->text);
    *mounts = (struct cf_mounts){ .len = 0 };
}
