/* The processes of a procfs that must be lived with, since no other can be mounted. */
#ifndef CF_STAGE_COVERS_H
#define CF_STAGE_COVERS_H

#include "stage/state.h"

/*
 * Lays an empty folder over each process and thread that the procfs has now, but the keeper and
 * the process that becomes bwrap. -1 when one that is still there could not be covered.
 */
int cf_covers_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

#endif
