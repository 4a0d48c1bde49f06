/* How an attempt is told what to search for, and the search of one file. */
#include "needle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the number of bytes read up to the end of the first line, or -1 with errno. */
static ssize_t read_line(const char *path, char *bytes, size_t size)
{
    CF_PROBE_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got = read(fd, bytes, size);
    const char *end = got > 0 ? memchr(bytes, '\n', (size_t)got) : NULL;
    return end ? end - bytes : got;
}

static ssize_t take_variable(const char *name, char *bytes, size_t size)
{
    char *value = getenv(name);
    size_t length = value ? strlen(value) : 0;
    if (length > size)
        return 0;
    for (size_t i = 0; i < length; i++) {
        bytes[i] = value[i];
        value[i] = '-';
    }
    return (ssize_t)length;
}

static ssize_t read_hex(const char *digits, char *bytes, size_t size)
{
    size_t length = strlen(digits) / 2;
    if (strlen(digits) % 2 || length > size)
        return 0;
    for (size_t i = 0; i < length; i++) {
        char pair[3] = { digits[2 * i], digits[2 * i + 1], 0 }, *end;
        bytes[i] = (char)strtoul(pair, &end, 16);
        if (end != pair + 2)
            return 0;
    }
    return (ssize_t)length;
}

int cf_needle_read(const char *word, struct cf_needle *needle, struct cf_finding *finding)
{
    ssize_t length = 0;
    if (strncmp(word, "file:", 5) == 0)
        length = read_line(word + 5, needle->bytes, sizeof(needle->bytes));
    else if (strncmp(word, "env:", 4) == 0)
        length = take_variable(word + 4, needle->bytes, sizeof(needle->bytes));
    else if (strncmp(word, "hex:", 4) == 0)
        length = read_hex(word + 4, needle->bytes, sizeof(needle->bytes));
    if (length <= 0) {
        cf_finding_unavailable(finding, EINVAL, "nothing to search for in %.64s", word);
        return -1;
    }
    needle->length = (size_t)length;
    return 0;
}

int cf_needle_in_file(const char *path, const struct cf_needle *needle)
{
    CF_PROBE_FD fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    /* The end of one piece is kept, so that a needle across two pieces is found. */
    char buffer[65536];
    size_t kept = 0;
    for (;;) {
        ssize_t got = read(fd, buffer + kept, sizeof(buffer) - kept);
        if (got <= 0)
            return got < 0 ? -1 : 0;
        size_t have = kept + (size_t)got;
        if (memmem(buffer, have, needle->bytes, needle->length))
            return 1;
        kept = have < needle->length ? have : needle->length - 1;
        memmove(buffer, buffer + have - kept, kept);
    }
}
