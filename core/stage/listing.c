/* getdents64 by hand: opendir(3) would allocate. */
#include "stage/listing.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fds.h"

struct record {
    uint64_t ino;
    int64_t next;
    unsigned short length;
    unsigned char type;
    char name[];
};

int cf_listing_each(int dir, char *buffer, size_t size,
                    void (*each)(void *ctx, const char *name, unsigned char type), void *ctx)
{
    cf_autoclose int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    for (;;) {
        long got = syscall(SYS_getdents64, fd, buffer, size);
        if (got <= 0)
            return (int)got;
        for (long at = 0; at < got;) {
            const struct record *record = (const struct record *)(buffer + at);
            at += record->length;
            if (strcmp(record->name, ".") != 0 && strcmp(record->name, "..") != 0)
                each(ctx, record->name, record->type);
        }
    }
}
