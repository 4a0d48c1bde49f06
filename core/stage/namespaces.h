/* A user and mount namespace of the run's own, which the host's later mounts do not reach. */
#ifndef CF_STAGE_NAMESPACES_H
#define CF_STAGE_NAMESPACES_H

#include "base/error.h"

/*
 * Enters new user and mount namespaces in which the caller's effective ids are themselves, also
 * for uid 0: what is made there belongs to the caller, and a power over files of other users is
 * gone. Mounts made on the host later do not appear. -1 with the step that failed; the process
 * may be half in by then and is good for nothing but exiting. After fork only.
 */
int cf_namespaces_enter(struct cf_error *err);

#endif
