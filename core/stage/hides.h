/* Names hidden where they stand, in places that cannot be shadowed. */
#ifndef CF_STAGE_HIDES_H
#define CF_STAGE_HIDES_H

#include "stage/state.h"

/* Lays an inert node, or an empty folder, over the name unless one lies there. */
int cf_hide_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

#endif
