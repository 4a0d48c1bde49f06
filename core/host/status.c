/* Parses /proc/PID/status by a table of the fields whose values are not plain text. */
#include "host/status.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/fds.h"

/* A process in 65,536 groups, the most there can be, has a Groups line of some 700 KiB. */
#define STATUS_MAX ((size_t)4 << 20)

static const struct {
    const char *name;
    enum cf_status_kind kind;
} kinds[] = {
    { "CapAmb", CF_STATUS_MASK },    { "CapBnd", CF_STATUS_MASK },
    { "CapEff", CF_STATUS_MASK },    { "CapInh", CF_STATUS_MASK },
    { "CapPrm", CF_STATUS_MASK },    { "FDSize", CF_STATUS_NUMBER },
    { "Gid", CF_STATUS_IDS },        { "Groups", CF_STATUS_LIST },
    { "NSpid", CF_STATUS_LIST },     { "NoNewPrivs", CF_STATUS_NUMBER },
    { "PPid", CF_STATUS_NUMBER },    { "Pid", CF_STATUS_NUMBER },
    { "Seccomp", CF_STATUS_NUMBER }, { "Seccomp_filters", CF_STATUS_NUMBER },
    { "ShdPnd", CF_STATUS_MASK },    { "SigBlk", CF_STATUS_MASK },
    { "SigCgt", CF_STATUS_MASK },    { "SigIgn", CF_STATUS_MASK },
    { "SigPnd", CF_STATUS_MASK },    { "Tgid", CF_STATUS_NUMBER },
    { "Threads", CF_STATUS_NUMBER }, { "TracerPid", CF_STATUS_NUMBER },
    { "Uid", CF_STATUS_IDS },
};

static enum cf_status_kind kind_of(const char *name)
{
    for (size_t at = 0; at < sizeof kinds / sizeof *kinds; at++)
        if (strcmp(kinds[at].name, name) == 0)
            return kinds[at].kind;
    return CF_STATUS_TEXT;
}

static int read_numbers(struct cf_status_field *field, struct cf_error *err)
{
    size_t cap = 0;
    const char *at = field->text;
    int base = field->kind == CF_STATUS_MASK ? 16 : 10;
    while (*at != '\0') {
        char *end;
        errno = 0;
        uint64_t value = strtoull(at, &end, base);
        /* strtoull takes signs and "0x"; the kernel prints neither. */
        bool digits = isxdigit((unsigned char)at[0]) && tolower((unsigned char)at[1]) != 'x';
        if (!digits || errno != 0 || (*end != '\0' && !isblank((unsigned char)*end)))
            break;
        void *moved = cf_array_grow(field->numbers, &cap, field->count + 1, sizeof value, err);
        if (moved == NULL)
            return -1;
        field->numbers = moved;
        field->numbers[field->count++] = value;
        for (at = end; isblank((unsigned char)*at); at++)
            continue;
    }
    bool whole = *at == '\0';
    bool counted =
        field->kind == CF_STATUS_LIST || field->count == (field->kind == CF_STATUS_IDS ? 4 : 1);
    if (!whole || !counted)
        field->kind = CF_STATUS_TEXT;
    return 0;
}

static void trim(const char **start, const char **end)
{
    while (*start < *end && isblank((unsigned char)**start))
        (*start)++;
    while (*end > *start && isblank((unsigned char)(*end)[-1]))
        (*end)--;
}

static int read_line(const char *line, const char *end, struct cf_status *to,
                     struct cf_error *err)
{
    struct cf_status_field field = { .numbers = NULL };
    const char *colon = memchr(line, ':', (size_t)(end - line));
    if (colon == NULL || colon == line || colon - line >= (ptrdiff_t)sizeof field.name ||
        memchr(line, '\0', (size_t)(end - line)) != NULL) {
        to->unreadable++;
        return 0;
    }
    memcpy(field.name, line, (size_t)(colon - line));
    const char *value = colon + 1;
    trim(&value, &end);

    void *items = cf_array_grow(to->items, &to->cap, to->len + 1, sizeof field, err);
    if (items == NULL)
        return -1;
    to->items = items;
    field.text = strndup(value, (size_t)(end - value));
    if (field.text == NULL)
        return cf_fail(err, ENOMEM, "read the status field %s", field.name);
    field.kind = kind_of(field.name);
    enum cf_status_kind wanted = field.kind;
    int done = wanted == CF_STATUS_TEXT ? 0 : read_numbers(&field, err);
    to->items[to->len++] = field;
    if (field.kind != wanted)
        to->unreadable++;
    return done;
}

int cf_status_parse(const char *text, size_t len, struct cf_status *to, struct cf_error *err)
{
    const char *end = text + len;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if (stop == NULL)
            stop = end;
        if (read_line(text, stop, to, err) < 0)
            return -1;
        text = stop + 1;
    }
    return 0;
}

int cf_status_read(pid_t pid, struct cf_status *to, struct cf_error *err)
{
    char path[40] = "/proc/self/status";
    if (pid != 0)
        snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    cf_autobytes struct cf_bytes text = CF_BYTES_EMPTY;
    if (cf_read_file_at(AT_FDCWD, path, STATUS_MAX, &text, err) < 0)
        return -1;
    return cf_status_parse(text.data, text.len, to, err);
}

const struct cf_status_field *cf_status_find(const struct cf_status *status, const char *name)
{
    for (size_t at = 0; at < status->len; at++)
        if (strcmp(status->items[at].name, name) == 0)
            return &status->items[at];
    return NULL;
}

void cf_status_free(struct cf_status *status)
{
    for (size_t at = 0; at < status->len; at++) {
        free(status->items[at].text);
        free(status->items[at].numbers);
    }
    free(status->items);
    *status = (struct cf_status){ NULL, 0, 0, 0 };
}
