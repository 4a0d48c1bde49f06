/* Size classes of 16 bytes up to 1 KiB, then four to each doubling: at most a quarter is lost. */
#include "vm/arena.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define SMALL_STEP 16
#define SMALL_MAX 1024
#define SMALL_CLASSES (SMALL_MAX / SMALL_STEP)
#define HUGE_PAGE ((size_t)2 << 20)

int cf_arena_open(struct cf_arena *arena, size_t bytes, struct cf_error *err)
{
    memset(arena, 0, sizeof *arena);
    void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return cf_fail(err, errno, "map %zu bytes for a Lua state", bytes);
    /* A huge page costs the time and the memory of 2 MiB, and most states have some KiB. */
    madvise(base, bytes, MADV_NOHUGEPAGE);
    arena->base = base;
    arena->size = bytes;
    return 0;
}

void cf_arena_prefer_huge(struct cf_arena *arena, size_t bytes)
{
    size_t before = -(uintptr_t)arena->base & (HUGE_PAGE - 1);
    if (before + bytes > arena->size)
        return;
    arena->used = before;
    madvise(arena->base + before, bytes, MADV_HUGEPAGE);
}

void cf_arena_close(struct cf_arena *arena)
{
    if (arena->base != NULL)
        munmap(arena->base, arena->size);
    memset(arena, 0, sizeof *arena);
}

/* The class of a wanted size, and in *rounded the size its blocks have; size is not 0. */
static size_t class_of(size_t size, size_t *rounded)
{
    if (size <= SMALL_MAX) {
        size_t at = (size - 1) / SMALL_STEP;
        *rounded = (at + 1) * SMALL_STEP;
        return at;
    }
    size_t log = (size_t)(63 - __builtin_clzll((unsigned long long)(size - 1)));
    size_t step = (size_t)1 << (log - 2);
    *rounded = (size + step - 1) & ~(step - 1);
    /* size - 1 lies in [2^log, 2^(log+1)): its two bits below the highest name the quarter. */
    return SMALL_CLASSES + (log - 10) * 4 + (((size - 1) >> (log - 2)) & 3);
}

static void *take(struct cf_arena *arena, size_t size)
{
    /* Also keeps class_of within its table. */
    if (size > arena->size)
        return NULL;
    size_t rounded;
    size_t class = class_of(size, &rounded);
    void *block = arena->spare[class];
    if (block != NULL) {
        memcpy(&arena->spare[class], block, sizeof(void *));
        return block;
    }
    if (rounded > arena->size - arena->used)
        return NULL;
    block = arena->base + arena->used;
    arena->used += rounded;
    return block;
}

static void give_back(struct cf_arena *arena, void *block, size_t size)
{
    size_t rounded;
    size_t class = class_of(size, &rounded);
    memcpy(block, &arena->spare[class], sizeof(void *));
    arena->spare[class] = block;
}

void *cf_arena_alloc(void *ud, void *block, size_t old, size_t wanted)
{
    struct cf_arena *arena = ud;
    if (wanted == 0) {
        if (block != NULL && old > 0)
            give_back(arena, block, old);
        return NULL;
    }
    /* For a new block Lua passes the kind of object in `old`. */
    if (block == NULL || old == 0)
        return take(arena, wanted);
    size_t had, gets;
    if (wanted <= arena->size && class_of(old, &had) == class_of(wanted, &gets))
        return block;
    void *moved = take(arena, wanted);
    if (moved == NULL)
        /* Lua relies on shrinking never failing. */
        return wanted <= old ? block : NULL;
    memcpy(moved, block, old < wanted ? old : wanted);
    give_back(arena, block, old);
    return moved;
}
