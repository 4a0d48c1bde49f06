/* Size classes of 16 bytes up to 1 KiB, then four to each doubling: at most a quarter is lost. */
#include "vm/arena.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

/* The size that the blocks of a class have, see class_of. */
static size_t size_of(size_t class)
{
    if (class < SMALL_CLASSES)
        return (class + 1) * SMALL_STEP;
    size_t log = 10 + (class - SMALL_CLASSES) / 4, quarter = (class - SMALL_CLASSES) % 4;
    return ((size_t)1 << log) + (quarter + 1) * ((size_t)1 << (log - 2));
}

/* Adds the bytes of a free block to the pages that it lies in. */
static void count_free(uint16_t *free_bytes, size_t page, size_t start, size_t size)
{
    for (size_t at = start, end = start + size; at < end;) {
        size_t stop = (at / page + 1) * page;
        stop = stop < end ? stop : end;
        free_bytes[at / page] = (uint16_t)(free_bytes[at / page] + (stop - at));
        at = stop;
    }
}

static bool is_on_free_page(const uint16_t *free_bytes, size_t page, size_t start, size_t size)
{
    for (size_t at = start / page; at <= (start + size - 1) / page; at++)
        if (free_bytes[at] == page)
            return true;
    return false;
}

/* Takes the blocks on pages that are free as a whole out of a list: its links lie in them. */
static void *without_free_pages(const struct cf_arena *arena, const uint16_t *free_bytes,
                                size_t page, size_t class)
{
    void *kept = NULL, *next;
    for (void *block = arena->spare[class]; block != NULL; block = next) {
        memcpy(&next, block, sizeof next);
        size_t start = (size_t)((char *)block - arena->base);
        if (is_on_free_page(free_bytes, page, start, size_of(class)))
            continue;
        memcpy(block, &kept, sizeof kept);
        kept = block;
    }
    return kept;
}

void cf_arena_trim(struct cf_arena *arena)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = arena->used / page + 1;
    /* A page of more bytes than a counter holds would never be found free. */
    uint16_t *free_bytes = page > UINT16_MAX
                               ? MAP_FAILED
                               : mmap(NULL, pages * sizeof *free_bytes, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (free_bytes == MAP_FAILED)
        return;
    for (size_t of = 0; of < CF_ARENA_CLASSES; of++) {
        void *next;
        for (void *block = arena->spare[of]; block != NULL; block = next) {
            memcpy(&next, block, sizeof next);
            count_free(free_bytes, page, (size_t)((char *)block - arena->base), size_of(of));
        }
    }
    for (size_t of = 0; of < CF_ARENA_CLASSES; of++)
        arena->spare[of] = without_free_pages(arena, free_bytes, page, of);
    for (size_t at = 0; at < pages; at++)
        if (free_bytes[at] == page)
            madvise(arena->base + at * page, page, MADV_DONTNEED);
    munmap(free_bytes, pages * sizeof *free_bytes);
}
