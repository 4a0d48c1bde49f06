/* Folders that stand for the host's: refused names are inert there and the rest is kept. */
#ifndef CF_STAGE_SHADOW_H
#define CF_STAGE_SHADOW_H

#include "stage/state.h"

/* By tmpfs, or by masks over the host's own folder; see cf_view_apply. */
int cf_shadow_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

/*
 * Whether the shadow lies directly in a folder that its cover made for it, by the same
 * construction, so that it needs no mount of its own.
 */
bool cf_shadow_joins(const struct cf_stage *stage, size_t i);

/* Whether the shadow lies on the host's own folder rather than in another shadow. */
bool cf_shadow_over_host(const struct cf_stage *stage, size_t i);

/* Keeps up with the host's folder being made again; true when it is another one now. */
bool cf_shadow_refind(struct cf_stage *stage, size_t i);

/* Builds a shadow that does not stand; by tmpfs where by overlay was not to be had. */
int cf_shadow_build(struct cf_stage *stage, size_t i, struct cf_error *err);

/* True when the shadow still lies over its folder, false when it must be built again. */
bool cf_shadow_follow(struct cf_stage *stage, size_t i);

/*
 * Makes a node of `type` (S_IFCHR for 0:0, S_IFSOCK) in a folder of ours, 0 also where the name
 * is taken. From the second on it is a link to `*first`, NULL at the start: a thousand inodes
 * would cost as much again when they are taken down.
 */
int cf_shadow_make(int folder, const char *name, mode_t type, const char **first);

/* Lets go of a shadow and of those joined to it, so that they can be built again. */
void cf_shadow_fall(struct cf_stage *stage, size_t i);

/* Notes what is under the refused names before the view is built. */
void cf_shadow_note(struct cf_stage *stage, size_t i);

#endif
