/* The names in a folder without any allocation, for use between fork and exec. */
#ifndef CF_STAGE_LISTING_H
#define CF_STAGE_LISTING_H

#include <stddef.h>

/*
 * Calls `each(ctx, name, type)` for every name but "." and "..", type being a DT_* of
 * readdir(3). `dir` may be O_PATH; `buffer` is scratch memory. 0, or -1 with errno of open or
 * getdents64.
 */
int cf_listing_each(int dir, char *buffer, size_t size,
                    void (*each)(void *ctx, const char *name, unsigned char type), void *ctx);

#endif
