/* How an attempt at the stage's calls is made without a trace. */
#ifndef CF_STAGE_PROBE_H
#define CF_STAGE_PROBE_H

#include "base/error.h"

/*
 * Makes the attempt in a child, which may enter namespaces and mount at will, and brings back
 * what it returned with its error.
 */
int cf_stage_try(int (*attempt)(struct cf_error *err), struct cf_error *err);

#endif
