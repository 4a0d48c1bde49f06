/* The process between us and bwrap: it ends the sandbox when we cannot. */
#ifndef CF_LAUNCH_WARDEN_H
#define CF_LAUNCH_WARDEN_H

#include "launch/launch.h"

/*
 * Why it exists: bwrap's --die-with-parent takes effect in its pid 1 only when the mounts are
 * done. Killing the launcher before that (3 of 60 kills within the first 20 ms, bwrap 0.8) left
 * a sandbox without a parent, whose command ran on. The warden is bwrap's parent and a child
 * subreaper: what bwrap leaves behind becomes its child, and it ends only when it has none.
 */
struct cf_warden {
    const struct cf_launch *launch;
    const char *const *argv; /* bwrap's */
    int args_fd;             /* stays open in bwrap at this number */
    int status_fd;           /* likewise */
    int lifeline;            /* end of file here means: end everything now */
    int failure;             /* a struct cf_error is written here when bwrap is not executed */
    int streams[3];          /* what becomes 0, 1 and 2; -1 for /dev/null */
};

/*
 * In a forked child: starts bwrap, waits for its end or the lifeline's, ends and reaps all that
 * is left, and exits as bwrap did: with its status, or by the same signal.
 */
_Noreturn void cf_warden_run(const struct cf_warden *warden);

#endif
