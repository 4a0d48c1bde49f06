/* A ring of identities, and chains through it by hash, since a policy may refuse thousands. */
#include "stage/refused.h"

/* Births are no part of it: one that is not known equals any. */
static uint32_t *chain_of(const struct cf_stage *stage, const struct cf_identity *id)
{
    uint64_t mixed = (id->ino ^ id->dev << 32) * 0x9e3779b97f4a7c15u;
    return &stage->refused_chains[(mixed >> 32) & (stage->refused_chain_count - 1)];
}

static void forget(struct cf_stage *stage, uint32_t slot)
{
    uint32_t *link = chain_of(stage, &stage->refused[slot]);
    while (*link != slot + 1)
        link = &stage->refused_next[*link - 1];
    *link = stage->refused_next[slot];
}

void cf_refused_note(struct cf_stage *stage, const struct cf_identity *id)
{
    if (cf_refused_has(stage, id))
        return;
    uint32_t slot = (uint32_t)(stage->refused_count % stage->refused_cap);
    if (stage->refused_count++ >= stage->refused_cap)
        forget(stage, slot);
    uint32_t *chain = chain_of(stage, id);
    stage->refused[slot] = *id;
    stage->refused_next[slot] = *chain;
    *chain = slot + 1;
}

bool cf_refused_has(const struct cf_stage *stage, const struct cf_identity *id)
{
    for (uint32_t at = *chain_of(stage, id); at != 0; at = stage->refused_next[at - 1])
        if (cf_identity_equal(&stage->refused[at - 1], id))
            return true;
    return false;
}
