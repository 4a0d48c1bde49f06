/* What git and the programs that run it see where a .git is absent: an empty repository. */
#ifndef CF_STAGE_SKELETON_H
#define CF_STAGE_SKELETON_H

#include "stage/state.h"

/*
 * Lays it over the placeholder that node `i` names, read-only. Where none stands, nothing is
 * made: the command cannot make a .git there either.
 */
int cf_skeleton_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

#endif
