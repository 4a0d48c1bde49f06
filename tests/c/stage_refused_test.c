/* The memory of refused things: what it holds, what it gives up first, that chains stay whole. */
#include "check.h"
#include "stage/refused.h"

#define PLACES 64

static struct cf_identity identities[PLACES];
static uint32_t next[PLACES], chains[16];

static struct cf_stage stage_with_chains(size_t count)
{
    memset(chains, 0, sizeof chains);
    return (struct cf_stage){ .refused = identities,
                              .refused_cap = PLACES,
                              .refused_next = next,
                              .refused_chains = chains,
                              .refused_chain_count = count };
}

static struct cf_identity numbered(uint64_t ino, int64_t born)
{
    return (struct cf_identity){ .dev = 7, .ino = ino, .born = born };
}

static bool has(const struct cf_stage *stage, uint64_t ino)
{
    struct cf_identity id = numbered(ino, 1);
    return cf_refused_has(stage, &id);
}

CHECK_CASE(what_was_noted_is_known_whatever_its_birth_where_one_is_unknown)
{
    struct cf_stage stage = stage_with_chains(16);
    struct cf_identity known = numbered(1, 5), unborn = numbered(2, 0);
    cf_refused_note(&stage, &known);
    cf_refused_note(&stage, &unborn);
    CHECK(!has(&stage, 1));
    CHECK(cf_refused_has(&stage, &known));
    CHECK(has(&stage, 2));
    known.born = 0;
    CHECK(cf_refused_has(&stage, &known));
    known.dev = 8;
    CHECK(!cf_refused_has(&stage, &known));
}

/* With one chain every removal is from its middle or end, with 16 from many. */
static void overflow(size_t chain_count)
{
    struct cf_stage stage = stage_with_chains(chain_count);
    for (uint64_t ino = 1; ino <= 5 * PLACES; ino++) {
        struct cf_identity id = numbered(ino, 1);
        cf_refused_note(&stage, &id);
        cf_refused_note(&stage, &id);
        CHECK(has(&stage, ino));
        if (ino > PLACES) {
            CHECK(!has(&stage, ino - PLACES));
            CHECK(has(&stage, ino - PLACES + 1));
        }
    }
    int held = 0;
    for (uint64_t ino = 1; ino <= 5 * PLACES; ino++)
        held += has(&stage, ino);
    CHECK_INT(held, PLACES);
    CHECK_INT(stage.refused_count, 5 * PLACES);
}

CHECK_CASE(past_its_capacity_the_oldest_is_forgotten)
{
    overflow(1);
    overflow(16);
}

CHECK_MAIN
