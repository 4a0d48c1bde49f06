/* A private heap with a ceiling for one Lua state: one mapping, thrown away whole. */
#ifndef CF_VM_ARENA_H
#define CF_VM_ARENA_H

#include <stddef.h>

#include "base/error.h"

#define CF_ARENA_CLASSES 192

/*
 * Blocks come from the front of the mapping and go back to a list of their size class; blocks
 * of different classes never merge, so the ceiling counts what was ever in use at once per
 * class. Nothing here calls malloc: a policy may be cut off at any instruction.
 */
struct cf_arena {
    char *base; /* NULL when closed */
    size_t size;
    size_t used;
    void *spare[CF_ARENA_CLASSES];
};

/* Maps `bytes` (from 64 KiB to 4 GiB; memory is taken as it is touched). -1 with ENOMEM. */
int cf_arena_open(struct cf_arena *arena, size_t bytes, struct cf_error *err);

/*
 * Asks for huge pages where the first blocks will lie: `bytes`, a multiple of 2 MiB, of an arena
 * that nothing was taken from yet. For a state that is known to fill them: one fault then stands
 * for 512 (1 ms less at the start of a run). Without huge pages on this host nothing changes.
 */
void cf_arena_prefer_huge(struct cf_arena *arena, size_t bytes);

/*
 * Gives back to the kernel each page in which no block is in use; what was free there is lost to
 * the arena. For a state that has just been collected and will allocate little from here on.
 */
void cf_arena_trim(struct cf_arena *arena);

/* Unmaps everything; safe on a zeroed or closed arena. */
void cf_arena_close(struct cf_arena *arena);

/* A lua_Alloc whose `ud` is the arena: NULL when the ceiling is reached. */
void *cf_arena_alloc(void *ud, void *block, size_t old, size_t wanted);

#endif
