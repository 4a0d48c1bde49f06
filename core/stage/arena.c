/* An anonymous mapping that is only ever handed out from its start. */
#include "stage/arena.h"

#include <string.h>
#include <sys/mman.h>

#define SIZE ((size_t)64 << 20)
#define ALIGNMENT 16

struct cf_arena cf_arena_make(void)
{
    struct cf_arena arena = { NULL, SIZE, 0 };
    void *start = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED)
        arena.start = start;
    return arena;
}

void *cf_arena_take(struct cf_arena *arena, size_t count, size_t size)
{
    size_t left = arena->size - arena->used;
    if (arena->start == NULL || left < ALIGNMENT || count > (left - ALIGNMENT) / size)
        return NULL;
    void *taken = arena->start + arena->used;
    arena->used += (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return taken;
}

char *cf_arena_text(struct cf_arena *arena, const char *text)
{
    if (text == NULL)
        return NULL;
    size_t length = strlen(text) + 1;
    char *copy = cf_arena_take(arena, length, 1);
    return copy == NULL ? NULL : memcpy(copy, text, length);
}

void cf_arena_free(struct cf_arena *arena)
{
    if (arena->start != NULL)
        munmap(arena->start, arena->size);
    arena->start = NULL;
}
