/* What the records of other runs say, by the identity of the placeholder. */
#ifndef CF_STAGE_SHARES_H
#define CF_STAGE_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stage/record.h"

/* A hash table in a mapping of its own: a run can have ten thousands of placeholders. */
struct cf_shares {
    struct cf_record_line *slots; /* path NULL; ino 0 for an empty one */
    size_t count;                 /* a power of two, 0 when there is nothing */
};

/*
 * Reads all records in the folder `dir` but `own`; with `only_living` not those whose run is
 * dead. For the holder of the lock on the records. -1 with errno.
 */
int cf_shares_collect(int dir, const char *own, bool only_living, struct cf_shares *shares);

/* The line of that file or folder, or NULL. */
const struct cf_record_line *cf_shares_find(const struct cf_shares *shares, uint64_t dev,
                                            uint64_t ino);

void cf_shares_free(struct cf_shares *shares);

#endif
