/* Which folders of the host the keeper is told about, and on behalf of which operation. */
#ifndef CF_STAGE_WATCH_H
#define CF_STAGE_WATCH_H

#include <sys/inotify.h>

#include "stage/state.h"

/* How many places in stage->watches an operation takes. */
size_t cf_watch_places(const struct cf_stage_op *op);

/*
 * Watches the folders above node `i`, and its own for a shadow. What is watched already costs a
 * system call and changes nothing. True when a folder is watched that was not before: whatever
 * happened in it until now was not told. Sets stage->polling where a folder cannot be watched.
 */
bool cf_watch_arm(struct cf_stage *stage, size_t i);

/*
 * Takes one event of the watched folders: syncs that name of a shadow and marks the operations
 * that lie at or below it.
 */
void cf_watch_tell(struct cf_stage *stage, const struct inotify_event *event);

/* Marks node `i` and all that lie below its path as to be looked at. */
void cf_watch_mark(struct cf_stage *stage, size_t i);

#endif
