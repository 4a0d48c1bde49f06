/*
 * Files that are pinned or masked in places where the command writes, each watched by itself. A
 * folder's events come one after the other, and a command can make any number of them; of these
 * files it can make none, so what the host does to them is told at once.
 */
#ifndef CF_STAGE_HELD_H
#define CF_STAGE_HELD_H

#include "stage/state.h"

/* How many places in stage->helds an operation takes. */
size_t cf_held_places(const struct cf_stage_op *op);

/* Opens what tells of them. Without it (EMFILE) only their folders tell. */
void cf_held_open(struct cf_stage *stage);

/*
 * Watches what `fd` is, which stands at the path of node `i`, or under `name` in it where that is
 * not NULL. What is watched there already stays so, unless this is new.
 */
void cf_held_watch(struct cf_stage *stage, size_t i, const char *name, int fd, bool is_new);

/* Pins or masks again what was replaced. What is only gone is left to the events of its folder. */
void cf_held_take(struct cf_stage *stage);

#endif
