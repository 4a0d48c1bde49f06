/* Open addressing; the table is sized by the length of the records before they are read. */
#include "stage/shares.h"

#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fds.h"
#include "stage/listing.h"

/* No line is shorter: a kind, five numbers and a path. */
#define SHORTEST 14

struct collection {
    int dir;
    const char *own;
    bool only_living;
    size_t bytes;
    struct cf_shares *shares; /* NULL while the length is taken */
};

static size_t slot_of(const struct cf_shares *shares, uint64_t dev, uint64_t ino)
{
    uint64_t mixed = (ino ^ (dev << 40)) * 0x9E3779B97F4A7C15ULL;
    size_t at = (size_t)(mixed >> 20) & (shares->count - 1);
    while (shares->slots[at].ino != 0 &&
           (shares->slots[at].ino != ino || shares->slots[at].dev != dev))
        at = (at + 1) & (shares->count - 1);
    return at;
}

static void take_lines(struct cf_shares *shares, int fd)
{
    cf_autorecord struct cf_record record = cf_record_read(fd);
    struct cf_record_line line;
    for (size_t end = record.size; cf_record_previous(&record, &end, &line);) {
        if (line.ino == 0 || line.kind == 'n')
            continue;
        line.path = NULL;
        shares->slots[slot_of(shares, line.dev, line.ino)] = line;
    }
}

static void take_record(void *ctx, const char *name, unsigned char type)
{
    (void)type;
    struct collection *all = ctx;
    struct stat st;
    if (strncmp(name, "run-", 4) != 0 || strcmp(name, all->own) == 0)
        return;
    cf_autoclose int fd = openat(all->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0 || (all->only_living && flock(fd, LOCK_EX | LOCK_NB) == 0))
        return;
    if (all->shares != NULL)
        take_lines(all->shares, fd);
    else if (fstat(fd, &st) == 0)
        all->bytes += (size_t)st.st_size;
}

int cf_shares_collect(int dir, const char *own, bool only_living, struct cf_shares *shares)
{
    char buffer[2048] __attribute__((aligned(8)));
    struct collection all = { .dir = dir, .own = own, .only_living = only_living };
    *shares = (struct cf_shares){ NULL, 0 };
    if (cf_listing_each(dir, buffer, sizeof buffer, take_record, &all) < 0)
        return -1;
    if (all.bytes == 0)
        return 0;
    size_t count = 64;
    while (count < 2 * (all.bytes / SHORTEST + 1))
        count *= 2;
    void *slots = mmap(NULL, count * sizeof *shares->slots, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slots == MAP_FAILED)
        return -1;
    *shares = (struct cf_shares){ slots, count };
    all.shares = shares;
    return cf_listing_each(dir, buffer, sizeof buffer, take_record, &all);
}

const struct cf_record_line *cf_shares_find(const struct cf_shares *shares, uint64_t dev,
                                            uint64_t ino)
{
    if (shares->count == 0)
        return NULL;
    const struct cf_record_line *line = &shares->slots[slot_of(shares, dev, ino)];
    return line->ino == 0 ? NULL : line;
}

void cf_shares_free(struct cf_shares *shares)
{
    if (shares->slots != NULL)
        munmap(shares->slots, shares->count * sizeof *shares->slots);
    *shares = (struct cf_shares){ NULL, 0 };
}
