/* Places of the host that are seen as they are, read-only or writable. */
#ifndef CF_STAGE_BINDS_H
#define CF_STAGE_BINDS_H

#include "stage/state.h"

/* Copies the place while what is writable still is. */
int cf_bind_prepare(struct cf_stage *stage, size_t i, struct cf_error *err);

/* Attaches the copy; later, puts a file or socket again that the host has replaced. */
int cf_bind_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

#endif
