/* Stand-ins for daemons: what each answers, so that an attempt in its protocol is reached. */
#ifndef CF_PROBE_STANDINS_H
#define CF_PROBE_STANDINS_H

#include <stdbool.h>
#include <stddef.h>

struct cf_standin {
    const char *protocol; /* the attempt that it answers */
    bool greets;          /* it speaks first */
    const char *answer;
    size_t length;
};

/* The stand-in for a protocol, or NULL. `connect` accepts and says nothing. */
const struct cf_standin *cf_standin_find(const char *protocol);

#endif
