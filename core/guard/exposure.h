/* What this host would let a command reach if no guard were there. */
#ifndef CF_GUARD_EXPOSURE_H
#define CF_GUARD_EXPOSURE_H

#include <stdbool.h>

/* Each found out by trying it; false also where an outer sandbox refuses it already. */
struct cf_exposure {
    bool io_uring;
    bool keyrings;
    bool vsock;
    bool tiocsti; /* dev.tty.legacy_tiocsti is 1, or the kernel is older than it (6.2) */
};

/* Never fails: what cannot be tried is not exposed. */
void cf_exposure_read(struct cf_exposure *exposure);

#endif
