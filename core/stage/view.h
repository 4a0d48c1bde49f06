/* The operations of a plan as mounts: each is done once, and looked at again when told. */
#ifndef CF_STAGE_VIEW_H
#define CF_STAGE_VIEW_H

#include "stage/state.h"

/* Builds the whole view in the namespace the caller is in. -1: it does not stand. */
int cf_view_build(struct cf_stage *stage, struct cf_error *err);

/*
 * Does operation `i` where it is not in force: at the build, and again after a change of the
 * host (then nothing is fatal and err may be NULL).
 */
int cf_view_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

/* O_PATH of an absolute path, or of its first `length` bytes, as the command sees it. */
int cf_view_open(struct cf_stage *stage, const char *path, size_t length);

/*
 * O_PATH of what the host has where node `i`, or the first `length` bytes of its path, is:
 * below the shadow that covers it, else as the command sees it.
 */
int cf_view_host(struct cf_stage *stage, size_t i, size_t length);

/* O_PATH of the place to attach node `i` at; in a shadow an absent one is made. */
int cf_view_place(struct cf_stage *stage, size_t i, bool folder);

/* Writes the outcome of the build; later calls change nothing. Returns 0. */
int cf_view_result(struct cf_stage *stage, size_t i, enum cf_stage_outcome outcome,
                   enum cf_stage_reason reason, int number);

/* Whether errno says that the place is not there, or not for the caller to reach. */
bool cf_view_is_absent(int number);
bool cf_view_is_unsearchable(int number);

#endif
