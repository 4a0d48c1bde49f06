/* The process that builds the view, keeps it true while the run lasts, and sweeps after it. */
#ifndef CF_STAGE_KEEPER_H
#define CF_STAGE_KEEPER_H

#include "stage/state.h"

struct cf_keeper_fds {
    int launcher; /* pidfd */
    int runner;   /* pidfd */
    int ready;    /* one byte is written here once the view stands; closed without it if not */
};

/* Never returns. Closes every descriptor it has no use for, the standard ones included. */
_Noreturn void cf_keeper_main(struct cf_stage *stage, struct cf_keeper_fds fds);

#endif
