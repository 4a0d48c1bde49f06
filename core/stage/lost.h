/* What ends a run: something that is refused or protected and can be held no longer. */
#ifndef CF_STAGE_LOST_H
#define CF_STAGE_LOST_H

#include "stage/state.h"

/*
 * Ends the run for a failure for want of memory, mounts or descriptors; of several the first is
 * told. One that comes of a change by the host is none: inotify tells of it, and all is looked at
 * again.
 */
void cf_lost_note(struct cf_stage *stage, const struct cf_error *err);

/* Ends the run when a folder in which the command writes is no longer found at its path. */
void cf_lost_look(struct cf_stage *stage);

#endif
