/* getdents64 and small reads; no allocation, no stdio streams. */
#include "launch/numbers.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"

struct directory_entry {
    uint64_t inode;
    int64_t offset;
    uint16_t length;
    uint8_t type;
    char name[];
};

/* The number at *at, or -1; *at is moved behind it. */
static int take_number(const char **at)
{
    long value = 0;
    const char *start = *at;
    while (**at >= '0' && **at <= '9' && value < 100000000)
        value = value * 10 + (*(*at)++ - '0');
    return *at == start ? -1 : (int)value;
}

int cf_numbers_each(const char *folder, void (*visit)(int number, void *context), void *context)
{
    cf_autoclose int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    _Alignas(struct directory_entry) char buffer[4096];
    for (;;) {
        long got = syscall(SYS_getdents64, fd, buffer, sizeof buffer);
        if (got <= 0)
            return got < 0 ? -1 : 0;
        for (long at = 0; at < got;) {
            const struct directory_entry *entry = (const void *)(buffer + at);
            const char *name = entry->name;
            int number = take_number(&name);
            if (number >= 0 && *name == '\0' && number != fd)
                visit(number, context);
            at += entry->length;
        }
    }
}

/* Reads at most size - 1 bytes and ends them with NUL. */
static bool read_small(const char *path, char *text, size_t size)
{
    cf_autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);
    text[got > 0 ? got : 0] = '\0';
    return got >= 0;
}

struct family {
    pid_t parent;
    pid_t *children;
    size_t count;
    size_t max;
};

static void add_if_child(int number, void *context)
{
    struct family *family = context;
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", number);
    if (family->count == family->max || !read_small(path, text, sizeof text))
        return;
    /* pid (comm) state ppid: comm may hold anything, also parentheses, but not the last one. */
    const char *at = strrchr(text, ')');
    if (at == NULL || strlen(at) < 5)
        return;
    at += 4;
    if (take_number(&at) == family->parent)
        family->children[family->count++] = number;
}

size_t cf_numbers_children(pid_t parent, pid_t *children, size_t max)
{
    char path[64], text[1024];
    struct family family = { parent, children, 0, max };
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", parent, parent);
    if (!read_small(path, text, sizeof text)) {
        cf_numbers_each("/proc", add_if_child, &family);
        return family.count;
    }
    const char *at = text;
    while (family.count < max && *at != '\0') {
        int number = take_number(&at);
        /* Without a space behind it the last number may be cut off. */
        if (number > 0 && *at == ' ')
            children[family.count++] = number;
        at += *at != '\0';
    }
    return family.count;
}
