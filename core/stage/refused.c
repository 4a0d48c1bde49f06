/* A ring of identities. It holds few, only of names that exist, so it is searched whole. */
#include "stage/refused.h"

void cf_refused_note(struct cf_stage *stage, const struct cf_identity *id)
{
    if (cf_refused_has(stage, id))
        return;
    stage->refused[stage->refused_count++ % stage->refused_cap] = *id;
}

bool cf_refused_has(const struct cf_stage *stage, const struct cf_identity *id)
{
    size_t held = stage->refused_count;
    if (held > stage->refused_cap)
        held = stage->refused_cap;
    for (size_t i = 0; i < held; i++)
        if (cf_identity_equal(&stage->refused[i], id))
            return true;
    return false;
}
