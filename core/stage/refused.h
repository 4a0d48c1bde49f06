/* What was seen under refused names, to know the same thing again under another name. */
#ifndef CF_STAGE_REFUSED_H
#define CF_STAGE_REFUSED_H

#include "stage/state.h"

/*
 * Never forgotten on purpose: a socket renamed away from its refused name stays refused. Past
 * the capacity (one for each refused name and CF_REFUSED_SPARE) the oldest is overwritten.
 */
void cf_refused_note(struct cf_stage *stage, const struct cf_identity *id);
bool cf_refused_has(const struct cf_stage *stage, const struct cf_identity *id);

#endif
