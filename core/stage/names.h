/* The names in a standing shadow: what each should be by now, and making it so. */
#ifndef CF_STAGE_NAMES_H
#define CF_STAGE_NAMES_H

#include "stage/state.h"

/* The entry of that name, of its own or by pattern, or NULL. */
const struct cf_stage_entry *cf_names_entry(const struct cf_node *node, const char *name);

/*
 * Makes one name of shadow `i` what it should be: kept as the host has it, gone, or inert.
 * `name` may be gone from the host. Never fails; what cannot be put is absent.
 */
void cf_names_sync(struct cf_stage *stage, size_t i, const char *name);

/* As cf_names_sync for all that the host has there and all that the shadow has. */
void cf_names_sync_all(struct cf_stage *stage, size_t i);

/* Whether the name is refused, by its entry or as another name of something refused. */
bool cf_names_refuses(const struct cf_stage *stage, size_t i, const char *name);

/* Refuses the name and notes what it is, if it still is. */
void cf_names_refuse(struct cf_stage *stage, size_t i, const char *name);

#endif
