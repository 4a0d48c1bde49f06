/* Names in a writable place that can be read but neither written nor replaced. */
#ifndef CF_STAGE_PROTECT_H
#define CF_STAGE_PROTECT_H

#include "stage/state.h"

/*
 * For the writable bind `cover`, just attached: makes what is absent of the names protected in
 * it, and takes a share in what other runs made, in one go while nobody else can.
 */
int cf_protect_prepare(struct cf_stage *stage, size_t cover, struct cf_error *err);

/* Pins the folders from the writable place down to the name, binds the name read-only. */
int cf_protect_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

/* Mounts a folder on itself, so that it cannot be renamed from inside. */
int cf_protect_pin(struct cf_stage *stage, size_t i, struct cf_error *err);

/* Gives the placeholders back to the host; the view is taken apart where they lie. */
void cf_protect_end(struct cf_stage *stage);

#endif
