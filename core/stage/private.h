/* Folders whose host content is seen and whose changes stay with the run. */
#ifndef CF_STAGE_PRIVATE_H
#define CF_STAGE_PRIVATE_H

#include "stage/state.h"

/* Takes hold of a kept layer while it can still be written. */
int cf_private_prepare(struct cf_stage *stage, size_t i, struct cf_error *err);

/* An overlay with a layer that is thrown away or kept, else an empty tmpfs. Only at first. */
int cf_private_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

#endif
