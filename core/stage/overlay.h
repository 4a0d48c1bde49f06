/* Shadows of folders too big to bind each name: overlays with a layer of what is refused. */
#ifndef CF_STAGE_OVERLAY_H
#define CF_STAGE_OVERLAY_H

#include "stage/state.h"

/*
 * A read-only overlay of the host's folder under a layer in which a refused name is a socket
 * nobody listens on and an absent one is a whiteout; shadows joined to it are part of the
 * layer. Where the kernel refuses it (something is mounted below the folder) a tmpfs is built
 * instead.
 */
int cf_overlay_apply(struct cf_stage *stage, size_t i, struct cf_error *err);

/*
 * Whether the host's `wanted` must be bound over what the overlay shows at a name (`seen`, NULL
 * for nothing): sockets always, and what the host has replaced, as overlay still shows the old.
 */
bool cf_overlay_wants(const struct cf_node *node, const struct cf_place *seen,
                      const struct cf_place *wanted);

#endif
