/* The operations checked, and everything allocated that is needed to carry them out. */
#ifndef CF_STAGE_NODES_H
#define CF_STAGE_NODES_H

#include "stage/state.h"

/*
 * Fills the node, watch, refusal and listing tables of a zeroed stage that has its arena; -1
 * with EINVAL or ENOMEM.
 */
int cf_nodes_make(struct cf_stage *stage, const struct cf_stage_op *ops, size_t count,
                  struct cf_error *err);

#endif
