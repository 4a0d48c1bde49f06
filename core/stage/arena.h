/* One piece of memory for all of a stage: the keeper needs nothing else of the launcher's. */
#ifndef CF_STAGE_ARENA_H
#define CF_STAGE_ARENA_H

#include <stddef.h>

struct cf_arena {
    char *start; /* NULL when it could not be had */
    size_t size;
    size_t used;
};

/* Room for a plan of several hundred thousand names; what is not used takes no memory. */
struct cf_arena cf_arena_make(void);

/* Zeroed and aligned for anything; NULL when there is no room. */
void *cf_arena_take(struct cf_arena *arena, size_t count, size_t size);

/* A copy; NULL for NULL, and when there is no room. */
char *cf_arena_text(struct cf_arena *arena, const char *text);

void cf_arena_free(struct cf_arena *arena);

#endif
